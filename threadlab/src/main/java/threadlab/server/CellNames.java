package threadlab.server;

/**
 * Names of cell classes as the reader knows them: the kernel nests each in a class of its own, such as
 * {@code REPL.$JShell$12}.
 */
final class CellNames {

    /** The prefix of the names of all cell classes. */
    static final String PREFIX = "REPL.$JShell$";

    private CellNames() {}

    static String plain(String text) {
        return text.replaceAll("(?:REPL)?[.$]+JShell[.$]\\w+[.$]", "");
    }

    static String inOneLine(String text) {
        return plain(text).strip().replaceAll("\\s+", " ");
    }

    /** An exception in a sentence: its class and its message. */
    static String of(Throwable failure) {
        var kind = failure.getClass().getSimpleName();
        var message = failure.getMessage();
        return message == null || message.isBlank() ? kind : kind + ": " + inOneLine(message);
    }
}
