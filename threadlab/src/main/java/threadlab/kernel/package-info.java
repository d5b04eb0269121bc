/** Shows charts, tables, claims and progress on the page of a notebook; the only package that knows the kernel. */
package threadlab.kernel;
