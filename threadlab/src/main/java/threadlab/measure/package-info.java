/** Runs thread experiments and returns what they measured as tables. */
package threadlab.measure;
