/** Programs in a separate JVM: those that may kill it, or need a Java, heap or limit other than the kernel's. */
package threadlab.child;
