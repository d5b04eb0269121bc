package whatwaits.rules;

import java.util.List;

/**
 * What threads belong to: a task scope, an executor. As text it says where it was opened, and names its threads.
 *
 * @param name as the dump has it, with class and number
 * @param parent the name of the container in which it was opened; null if there is none
 * @param threads those that run directly in it
 */
public record Container(String name, String parent, List<ThreadState> threads) {

    /** {@return the names of its threads} */
    public List<String> threadNames() {
        return threads.stream().map(ThreadState::label).toList();
    }

    /** {@return whether it holds the threads that belong to nothing else} */
    public boolean isRoot() {
        return name.isEmpty() || name.equals("<root>");
    }

    private static String title(String name) {
        return name.replaceFirst("\\\\?[/@].*", "");
    }

    @Override
    public String toString() {
        var where = parent == null ? "" : ", in " + title(parent);
        return title(name) + where + ": " + String.join(", ", threadNames());
    }
}
