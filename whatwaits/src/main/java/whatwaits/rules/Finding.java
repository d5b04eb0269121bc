package whatwaits.rules;

import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Something that is named, as data; a sentence is made of it elsewhere.
 *
 * @param what which class of thing
 * @param kind of it: of a limit such as {@code connections}, of a circle {@code proven} or {@code probable}, of a defect
 *     its number
 * @param thing which one
 * @param waiting how many threads wait for it; NaN where that is not known
 * @param waiters where they wait, the most first; none where they are not seen
 * @param holders where those are that have one, the most first; none where they are not seen
 */
public record Finding(What what, String kind, Thing thing, double waiting, List<Place> waiters, List<Place> holders) {

    /** What can be named. */
    public enum What {
        /** Threads that wait for each other in a circle. */
        CIRCLE,
        /** A limit that is met. */
        LIMIT,
        /** Carriers held by threads that wait. */
        PINNED,
        /** A defect that another release has repaired. */
        DEFECT
    }

    /**
     * What is named.
     *
     * @param name without numbers: the same after a restart
     * @param type the class of the lock, the semaphore or the result; null where it is no object, or not known
     * @param object with the number that it has until the JVM ends, {@code ReentrantLock@1f}; null where there is none
     */
    public record Thing(String name, String type, String object) {

        private static final Pattern NUMBER = Pattern.compile("@[0-9a-f]+\\b");

        static Thing of(String name, List<ThreadState> waiters) {
            var blockers = waiters.stream().map(ThreadState::blocker).distinct().toList();
            var one = blockers.size() == 1 ? blockers.getFirst() : null;
            var types = blockers.stream()
                    .filter(Objects::nonNull)
                    .map(blocker -> blocker.replaceFirst("@.*", "").replaceFirst("\\$((Nonf|F)airSync|Sync)$", ""))
                    .distinct()
                    .toList();
            return new Thing(stable(name), types.size() == 1 ? types.getFirst() : null, one);
        }

        /** {@return a text without the numbers of objects}
         *
         * @param text such as {@code the lock ReentrantLock@1f}
         */
        public static String stable(String text) {
            return NUMBER.matcher(text).replaceAll("");
        }
    }

    /**
     * Some threads on one line.
     *
     * @param line as {@code package.Class.method(File.java:12)}; empty where no frame is seen
     * @param threads how many
     * @param names of the first few
     */
    public record Place(String line, int threads, List<String> names) {

        private static final int NAMED = 3;

        static List<Place> of(Stream<ThreadState> threads) {
            return of(threads, one -> one.stack().where(), ThreadState::label);
        }

        /** Some on their lines, the line of most first. */
        private static <T> List<Place> of(Stream<T> some, Function<T, String> line, Function<T, String> name) {
            return Grouping.by(line, some).entrySet().stream()
                    .map(at -> new Place(
                            at.getKey(),
                            at.getValue().size(),
                            at.getValue().stream().limit(NAMED).map(name).toList()))
                    .sorted(Comparator.comparingInt(place -> -place.threads))
                    .toList();
        }
    }

    /** {@return the line to look at first: where most wait or else where most have one; null where none is seen} */
    public String line() {
        return Stream.concat(waiters.stream(), holders.stream())
                .map(Place::line)
                .filter(line -> !line.isEmpty())
                .findFirst()
                .orElse(null);
    }

    /**
     * {@return held carriers}
     *
     * @param pins the threads that hold them while they wait; those that hold one now count before others
     */
    public static Finding ofPinned(List<Pin> pins) {
        var now = pins.stream().filter(Pin::isNow).toList();
        var places = Place.of(
                (now.isEmpty() ? pins : now).stream(), pin -> pin.stack().where(), Pin::thread);
        var thing = new Thing("carriers", null, null);
        return new Finding(What.PINNED, "carriers", thing, Double.NaN, List.of(), places);
    }

    static Finding of(Limits.Found found, ThreadDump dump) {
        var limit = found.limit();
        var seen = Set.copyOf(found.waiters());
        // a set, because the compiler to JavaScript keeps duplicates in a distinct stream
        var holders = new LinkedHashSet<>(found.holders());
        // who holds a lock and computes is no holder that another limit could hold up
        dump.groups().stream()
                .filter(group -> group.held() != null && seen.contains(group.first()))
                .map(group -> group.held().by())
                .forEach(holders::add);
        // what a transaction calls may wait elsewhere: the line to change is its own
        Function<ThreadState, String> at = limit.kind() == Limit.Kind.CONNECTIONS
                ? one -> one.stack().keeps()
                : one -> one.stack().where();
        boolean object = limit.kind() == Limit.Kind.LOCK || limit.kind() == Limit.Kind.PERMITS;
        return new Finding(
                What.LIMIT,
                Data.key(limit.kind()),
                Thing.of(limit.name(), object ? found.waiters() : List.of()),
                limit.waiting(),
                Place.of(found.waiters().stream()),
                Place.of(holders.stream(), at, ThreadState::label));
    }

    static Finding of(Circle circle) {
        var threads = circle.members().stream().map(Circle.Member::thread).toList();
        return new Finding(
                What.CIRCLE,
                circle.proven() ? "proven" : "probable",
                Thing.of("a circle of threads", threads),
                threads.size() + circle.behind(),
                Place.of(threads.stream()),
                Place.of(threads.stream()));
    }
}
