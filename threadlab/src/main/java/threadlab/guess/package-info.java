/** What a reader expects before a run: a number or a line, made on the page or typed, and compared after the run. */
package threadlab.guess;
