package whatwaits.rules;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A stand-in for the rules of whatwaits: groups the threads of a dump by what they wait for. */
public final class Reading {
    private static final Pattern STRING = Pattern.compile("\\s*+\"(?<text>[^\"]++)\"(?<rest>.*)");
    private static final Pattern FRAME = Pattern.compile("(?:[\\w.]++\\\\/)?(?<method>[\\w.$]++)\\(.*");

    enum Kind {
        LOCK,
        PARKED,
        SLEEP,
        OTHER
    }

    sealed interface Limit {}

    record Waiting(Kind kind, String in) implements Limit {}

    record Running(String in) implements Limit {}

    private final StringBuilder pending = new StringBuilder();
    private final Map<String, String> methods = new LinkedHashMap<>();
    private final Map<Limit, List<String>> groups = new LinkedHashMap<>();
    private final List<String> frames = new ArrayList<>();
    private String name = "";

    public void take(String chunk) {
        pending.append(chunk);
        int from = 0;
        for (int end = pending.indexOf("\n"); end >= 0; end = pending.indexOf("\n", from)) {
            line(pending.substring(from, end));
            from = end + 1;
        }
        pending.delete(0, from);
    }

    private void line(String line) {
        Matcher found = STRING.matcher(line);
        if (!found.matches()) {
            if (line.strip().equals("]") && !frames.isEmpty()) {
                groups.computeIfAbsent(limit(), of -> new ArrayList<>()).add(name);
                frames.clear();
            }
        } else if (found.group("text").equals("name")) {
            name = found.group("rest");
        } else if (!found.group("rest").startsWith(":")) {
            frames.add(methods.computeIfAbsent(found.group("text"), Reading::method));
        }
    }

    private static String method(String frame) {
        Matcher found = FRAME.matcher(frame);
        return found.matches() ? found.group("method") : frame;
    }

    private Limit limit() {
        String in = frames.getLast();
        if (frames.stream().anyMatch(frame -> frame.endsWith(".ReentrantLock.lock"))) {
            return new Waiting(Kind.LOCK, in);
        }
        return switch (frames.get(Math.min(2, frames.size() - 1))) {
            case String frame when frame.endsWith(".sleepNanos") -> new Waiting(Kind.SLEEP, in);
            case String frame when frame.endsWith(".park") -> new Waiting(Kind.PARKED, in);
            default -> new Running(in);
        };
    }

    public String verdict() {
        Map<Kind, Integer> counts = new EnumMap<>(Kind.class);
        groups.forEach((limit, names) -> counts.merge(
                switch (limit) {
                    case Waiting(Kind kind, String _in) -> kind;
                    case Running running -> Kind.OTHER;
                },
                names.size(),
                Integer::sum));
        return groups.entrySet().stream()
                .sorted(Comparator.comparing(group -> -group.getValue().size()))
                .map(group -> group.getValue().size() + " " + group.getKey() + " first"
                        + group.getValue().getFirst())
                .collect(Collectors.joining("\n", counts + "\n", ""));
    }
}
