/** Makes tables of what {@code whatwaits}, the instrument, has seen of a JVM. */
package threadlab.inspect;
