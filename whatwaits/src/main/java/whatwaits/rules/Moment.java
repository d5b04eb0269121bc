package whatwaits.rules;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;

/**
 * One dump, of whatever form.
 *
 * @param dump its threads
 * @param print the same as it was in text; null if it was JSON
 * @param all whether it has the virtual threads without a carrier, too
 * @param version the release that wrote it, such as 25.0.3+9-LTS; null if it does not name it
 * @param time when it was taken, as it says; null if it does not
 * @param missing what it lacks, in words
 * @param origin which JVM it is of, as far as it says
 */
public record Moment(
        ThreadDump dump,
        TextDump print,
        boolean all,
        String version,
        String time,
        List<String> missing,
        Origin origin) {

    static Moment of(TextDump print) {
        var version = print.version();
        var heading = version == null ? "A dump that does not name its Java" : "A dump of Java " + version;
        // what is known of a release is known of HotSpot, and a javacore is of another JVM
        var release = print.form == Form.JAVACORE ? null : version;
        return new Moment(
                print.dump(print.java(), heading),
                print,
                print.hasAll(),
                release,
                print.time(),
                print.missing(),
                Origin.of(print));
    }

    /** The same, from a place of a log. */
    Moment in(String source, int line) {
        return new Moment(dump, print, all, version, time, missing, origin.in(source, line));
    }

    /** The same, of which there are copies. */
    Moment copied() {
        var more = new ArrayList<>(missing);
        more.add("a second look: a dump" + (time == null ? "" : " of " + time) + " is there twice, and a copy is none");
        return new Moment(dump, print, all, version, time, more, origin);
    }

    /** Whether two cannot be of the same JVM, whatever their threads are called. */
    boolean isOfOther(Moment other) {
        return release() != null && other.release() != null && !release().equals(other.release())
                || origin.tellsApart(other.origin(), other.seconds() - seconds())
                || print == null && other.print == null && !waitsAs(other);
    }

    /** The numbers of the release: some forms name more of it than others. */
    private String release() {
        return version == null ? null : version.split("[^\\d.]")[0];
    }

    /** Whether the JVM's own threads wait for the same objects: in JSON an object keeps its number, in print it moves. */
    private boolean waitsAs(Moment other) {
        var there = other.dump.byId();
        return dump.threads().stream()
                .filter(one -> !one.virtual() && one.blocker() != null && Pool.isJvms(one.name()))
                .allMatch(one -> {
                    var same = there.get(one.id());
                    return same == null
                            || same.blocker() == null
                            || !same.name().equals(one.name())
                            || !same.isStillAt(one)
                            || same.blocker().equals(one.blocker());
                });
    }

    /** How many threads stand where they stand in another one. */
    long likeness(Moment other) {
        var there = other.dump.byId();
        return dump.threads().stream()
                .filter(one -> one.isStillAt(there.get(one.id())))
                .count();
    }

    /** Whether it says nothing that another one of the same JVM does not say: it was pasted twice. */
    boolean isCopyOf(Moment other) {
        if ((print == null) != (other.print == null)
                || time != null && other.time != null && !time.equals(other.time)) {
            return false;
        }
        var old = origin.isAsOld(other.origin);
        if (old != null) {
            return old;
        }
        // two looks may be of the same second, not of the same part of it
        return Objects.equals(time, other.time) && (time != null && time.contains(".") || said().equals(other.said()));
    }

    private List<String> said() {
        var said = new ArrayList<>(List.of(String.valueOf(origin.mark())));
        dump.threads()
                .forEach(one ->
                        said.add(one.id() + one.label() + one.state() + one.blocker() + one.holds() + one.stack()));
        return said;
    }

    /** Whether two are of the same JVM: most of the threads of one are in the other, too. */
    boolean isOfSame(Moment other) {
        var names = names();
        var others = new HashSet<>(other.names());
        long both = names.stream().filter(others::contains).count();
        return both > 0 && 2 * both >= Math.min(names.size(), others.size());
    }

    /** Its platform threads: the JVM keeps their numbers; of a dump that has none, all. */
    private List<String> names() {
        var platform = dump.threads().stream().filter(one -> !one.virtual()).toList();
        var threads = platform.isEmpty() ? dump.threads() : platform;
        return threads.stream().map(one -> one.id() + " " + one.name()).toList();
    }

    /** Whether this JSON shows the moment that another one has in print: both within some seconds, in any time zone. */
    boolean isMomentOf(Moment other) {
        if (print != null || other.print == null || !isOfSame(other)) {
            return false;
        }
        double apart = Math.abs(seconds() - other.seconds()) % ZONES;
        return Double.isNaN(apart) || Math.min(apart, ZONES - apart) <= TOGETHER;
    }

    /** Time zones differ by multiples of this. */
    private static final double ZONES = 900;

    private static final double TOGETHER = 5;

    /** When it was taken, in seconds since some day; NaN if it does not say. */
    double seconds() {
        var parts = time == null ? new String[0] : time.split("\\D+");
        if (parts.length < 6) {
            return Double.NaN;
        }
        int[] of = new int[6];
        for (int i = 0; i < of.length; i++) {
            of[i] = Integer.parseInt(parts[i]);
        }
        // days of the years before, counted from March, so that the leap day is a year's last
        int year = of[1] > 2 ? of[0] : of[0] - 1;
        int month = (of[1] + 9) % 12;
        long days = 365L * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + of[2];
        return 86_400.0 * days + 3_600 * of[3] + 60 * of[4] + of[5];
    }
}
