/** Runs programs in a separate JVM, because they may kill it or need a Java version, heap or limit of their own. */
package threadlab.child;
