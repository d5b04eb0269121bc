/**
 * The kernel: runs cells, keeps what they declare, and shows what they return; with {@code widget} the only package that
 * knows JJava.
 */
package threadlab.kernel;
