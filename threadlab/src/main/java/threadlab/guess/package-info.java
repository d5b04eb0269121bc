/**
 * What a reader expects before a run: a number, a line, a choice, an order or bars, made on the page or typed, and
 * compared after the run.
 */
package threadlab.guess;
