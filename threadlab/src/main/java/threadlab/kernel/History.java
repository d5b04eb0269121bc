package threadlab.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.dflib.jjava.jupyter.messages.request.HistoryRequest;

/** What was typed since the kernel started, for consoles, which ask for it when they start, and for their arrow keys. */
final class History {

    private static final int SESSION = 1;

    /** A cell, without what it has shown, which the page keeps. */
    private record Entry(int count, String code) {}

    private final List<Entry> entries = new ArrayList<>();

    void add(int count, String code) {
        entries.add(new Entry(count, code));
    }

    /** Session, number and code of each cell that is asked for. */
    List<List<Object>> of(HistoryRequest request) {
        return switch (request) {
            case HistoryRequest.Range range
            when range.getSessionIndex() == 0 || range.getSessionIndex() == SESSION ->
                last(
                        entries.stream()
                                .filter(entry -> entry.count >= range.getStart() && entry.count < range.getStop()),
                        entries.size());
            case HistoryRequest.Tail tail -> last(entries.stream(), tail.getMaxReturnLength());
            case HistoryRequest.Search search -> {
                var glob = Pattern.compile(
                        search.getPattern()
                                .codePoints()
                                .mapToObj(c -> c == '*' ? ".*" : c == '?' ? "." : Pattern.quote(Character.toString(c)))
                                .collect(Collectors.joining()),
                        Pattern.DOTALL);
                boolean all = !search.filterUnique();
                yield last(
                        IntStream.range(0, entries.size())
                                .filter(i -> all
                                        || entries.stream()
                                                .skip(i + 1)
                                                .noneMatch(later -> Objects.equals(later.code, entries.get(i).code)))
                                .mapToObj(entries::get)
                                .filter(entry -> glob.matcher(entry.code).matches()),
                        search.getMaxReturnLength());
            }
            default -> List.of();
        };
    }

    private static List<List<Object>> last(Stream<Entry> found, int most) {
        var all = found.map(entry -> List.<Object>of(SESSION, entry.count, entry.code))
                .toList();
        return all.subList(Math.max(0, all.size() - Math.max(0, most)), all.size());
    }
}
