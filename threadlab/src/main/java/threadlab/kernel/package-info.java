/** Shows charts, tables, claims and progress on the page of a notebook; the only package that uses the kernel's API. */
package threadlab.kernel;
