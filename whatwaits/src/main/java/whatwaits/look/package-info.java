/**
 * Looks at a running JVM: attaches, samples, takes dumps, records events, reads a service's metrics and logs.
 *
 * <p>A saved look is a zip: the number of its format in {@code format.txt}, {@code about.json}, {@code samples.json}, the
 * texts of {@code Thread.print} as {@code threads-1.txt} and so on, {@code dump.json}, {@code events.jfr}, and
 * {@code later.json} where a circle needed a second dump. One that unpacks to more than an eighth of the heap is not read.
 *
 * <p>A library that starts programs through a main class of its own names that class in a resource
 * {@code META-INF/whatwaits/callers}, so that it is not taken for the program. The table of defects that stop virtual
 * threads, {@code data/defects/hangs.csv}, is packed into the jar.
 */
package whatwaits.look;
