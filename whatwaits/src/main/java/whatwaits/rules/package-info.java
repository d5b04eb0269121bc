/**
 * What the data of a JVM says: a dump is parsed and grouped, limits are found, a verdict is reached. This package only
 * computes: no input or output, no threads, no reflection, no {@code String.format}. So it also compiles to JavaScript,
 * and a test compares both on every recorded dump.
 *
 * <p><b>A stack.</b> A frame is examined once, however many threads share it: {@code Frame} knows whose code it is
 * ({@code Owner}) and what it says about its thread ({@code Sign}). {@code WaitReason.of} reads a stack from the
 * innermost call outwards. All that is known of libraries stands in one table, in {@code Library}; each row names the
 * dump of the real library, which {@code dumps/record.py} records, or of a service of {@code foreign}, that shows it.
 * Where no row is known, several threads that wait for a condition in a method whose name says that it gives out a lock
 * or permits count as waiting for these.
 *
 * <p><b>Unknown.</b> A figure that is not known is NaN, all else null; the number of a thread or of a Java is 0.
 *
 * <p><b>The first limit.</b> One is met only where somebody is seen waiting for it; otherwise a full one is <i>all busy,
 * nobody seen waiting</i>. Of several that are met, the one that most threads wait for comes first, unless most of those
 * that have one wait for another: more connections do not help if whoever has one waits for a carrier. The JDK wakes
 * virtual threads that wait for sockets by a virtual thread, its poller. Where that one stands in a long queue for a
 * carrier, a thread that seems to wait for a socket counts as waiting for a carrier. What is on full carriers and CPUs
 * changes from moment to moment, so it is looked at several times.
 *
 * <p><b>Whom no thread shows.</b> A request that no thread has taken stands, on Linux, in the buffers of the server's
 * sockets: if no thread of the pool that answers requests is idle and requests stand there at each of three looks, that
 * pool is the limit, with the fewest that were seen as those who wait. In the same way a server that accepts no more
 * connections is found, and a program whose threads wait for a CPU longer than they have one. The heap is the limit
 * where full collections stop all threads for a fifth of the time.
 */
package whatwaits.rules;
