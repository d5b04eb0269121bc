/** What the cells of homework need beside an exercise: the learner's own numbers, and a look before handing in. */
package threadlab.homework;
