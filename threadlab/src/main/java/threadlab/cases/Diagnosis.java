package threadlab.cases;

/**
 * A diagnosis.
 *
 * @param cause what is wrong
 * @param line the place, as a stack shows it, such as {@code Shop.java:250}
 * @param figure the figure that {@link Fault#table} asks for, from this run; {@link threadlab.claim.Check#OPEN} if
 *     unanswered
 * @param repair what to change
 */
public record Diagnosis(Fault cause, String line, double figure, Repair repair) {}
