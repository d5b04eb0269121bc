package threadlab.server;

/** Classes of cells, as the reader knows them: the kernel nests each in a class of its own, such as {@code REPL.$JShell$12}. */
final class Names {

    /** How the names of all classes of cells begin. */
    static final String CELLS = "REPL.$JShell$";

    private Names() {}

    static String plain(String text) {
        return text.replaceAll("(?:REPL)?[.$]+JShell[.$]\\w+[.$]", "");
    }

    /** An exception in half a line: its class, and the first line of its message. */
    static String of(Throwable failure) {
        var message = failure.getMessage();
        var kind = failure.getClass().getSimpleName();
        return message == null || message.isBlank()
                ? kind
                : kind + ": " + plain(message.strip().lines().findFirst().orElseThrow());
    }
}
