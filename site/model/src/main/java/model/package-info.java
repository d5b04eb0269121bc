/**
 * Requests on threads, carriers and CPUs, simulated. It assumes:
 *
 * <ul>
 *   <li>Every queue is first come, first served: for a thread of a pool, a carrier, a CPU, a place. A carrier may have
 *       several, which it empties one by one: {@link model.Scenario#byQueue}. That is what a single one does; of
 *       several carriers each looks at the queues on its own, and this model does not.
 *   <li>Only what a {@link model.Step} says takes time. Starting a thread, switching, handing over and collecting
 *       garbage take none, so a measurement with very many or very short requests lies below the model.
 *   <li>A wait lasts exactly as long as it says; a timer of a machine adds up to a millisecond.
 *   <li>CPUs belong to the simulated program alone and have no quota. Threads that compete for them take turns of 5
 *       ms.
 *   <li>A client that has run out of patience has left, but the server still works on its request.
 * </ul>
 *
 * <p>The same seed gives the same numbers on the JVM and as JavaScript: only additions, multiplications, divisions and
 * comparisons of {@code double}, and {@code int} arithmetic, which both compute alike. No time, no thread, no library.
 */
package model;
