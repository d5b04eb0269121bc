package threadlab.kernel;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.dflib.jjava.jupyter.kernel.history.HistoryEntry;
import org.dflib.jjava.jupyter.kernel.history.HistoryManager;

/** What was typed since the kernel started, for consoles, which ask for it with the arrow keys. */
final class History implements HistoryManager {

    private static final int SESSION = 1;

    private final List<HistoryEntry> entries = new ArrayList<>();

    void add(int count, String code) {
        entries.add(new HistoryEntry(SESSION, count, code, null));
    }

    @Override
    public List<HistoryEntry> lookupRange(int session, int from, int until, Set<ResultFlag> flags) {
        boolean known = session == 0 || session == SESSION;
        return last(
                Integer.MAX_VALUE,
                flags,
                entry -> known && entry.getCellNumber() >= from && entry.getCellNumber() < until);
    }

    @Override
    public List<HistoryEntry> lookupTail(int length, Set<ResultFlag> flags) {
        return last(length, flags, _ -> true);
    }

    /** The pattern is that of a shell: * is any text, ? a letter. */
    @Override
    public List<HistoryEntry> search(String pattern, int length, Set<ResultFlag> flags) {
        var glob = Pattern.compile(
                pattern.chars()
                        .mapToObj(c -> c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(Character.toString(c)))
                        .collect(Collectors.joining()),
                Pattern.DOTALL);
        return last(length, flags, entry -> glob.matcher(entry.getInput()).matches());
    }

    private List<HistoryEntry> last(int length, Set<ResultFlag> flags, Predicate<HistoryEntry> wanted) {
        var found = entries.stream().filter(wanted).toList();
        if (flags.contains(ResultFlag.UNIQUE)) {
            var inputs = new HashSet<String>();
            found = found.reversed().stream()
                    .filter(entry -> inputs.add(entry.getInput()))
                    .toList()
                    .reversed();
        }
        if (flags.contains(ResultFlag.INCLUDE_OUTPUT)) { // which is kept on the page alone
            found = found.stream()
                    .map(one -> new HistoryEntry(SESSION, one.getCellNumber(), one.getInput(), ""))
                    .toList();
        }
        return found.subList(Math.max(0, found.size() - Math.max(0, length)), found.size());
    }
}
