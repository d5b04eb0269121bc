/** What the cells of homework need beside an exercise: the learner's own numbers, and whether an answer is there. */
package threadlab.homework;
