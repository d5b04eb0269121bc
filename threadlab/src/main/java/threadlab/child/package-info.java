/** Programs in a JVM of their own: what may kill a JVM, and what needs another Java, heap or limit than the kernel. */
package threadlab.child;
