package threadlab.cases;

/**
 * A diagnosis.
 *
 * @param cause what is wrong
 * @param line where, as a stack shows it, such as {@code Shop.java:250}
 * @param figure what {@link Fault#table} asks for, of this run; {@link threadlab.claim.Check#OPEN} if it is not answered
 * @param repair what to change
 */
public record Answer(Fault cause, String line, double figure, Repair repair) {}
