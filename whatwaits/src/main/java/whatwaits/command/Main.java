package whatwaits.command;

/** Starts the command, or says which Java it needs: compiled for Java 8, so that any Java can read it. */
public final class Main {

    private static final int OLDEST = 21;

    private Main() {}

    /**
     * Runs the command.
     *
     * @param arguments as {@code whatwaits --help} explains them
     * @throws ReflectiveOperationException if the jar is damaged
     */
    public static void main(String[] arguments) throws ReflectiveOperationException {
        String java = System.getProperty("java.specification.version");
        if (Double.parseDouble(java) < OLDEST) {
            System.err.println("whatwaits needs Java " + OLDEST + " or newer, and this is Java " + java
                    + ": start it with the java of a newer JDK, by its path");
            System.exit(2);
        }
        Class.forName("whatwaits.command.Whatwaits")
                .getMethod("main", String[].class)
                .invoke(null, (Object) arguments);
    }
}
