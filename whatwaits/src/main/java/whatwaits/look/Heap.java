package whatwaits.look;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How full the heap of a JVM is, and how long its collector works, where no recording can be made of it. */
final class Heap {

    /** The old generation of the collectors that stop all threads: what is used, where it begins and may end. */
    private static final Pattern OLD =
            Pattern.compile("(?:[Tt]enured|ParOldGen).* used (\\d+)K \\[0x(\\w+), ?0x\\w+, ?0x(\\w+)\\)");

    private static final Pattern USED = Pattern.compile("(?m)^(?! *(?:Metaspace|class space)).*\\bused (\\d+)([KMG])");

    private static final Pattern G1 = Pattern.compile(
            "garbage-first heap .* used (\\d+)K \\[0x(\\w+), ?0x(\\w+)\\)\\s.* young \\((\\d+)K\\), \\d+ survivors \\((\\d+)K\\)");

    /** The threads that collect while all others stand still. */
    private static final Pattern COLLECTS =
            Pattern.compile("^\"((?:VM|GC) Thread(?:#\\d+)?)\" .* cpu=([\\d.]+)ms ", Pattern.MULTILINE);

    private Heap() {}

    /** The bytes that are in use, by what {@code GC.heap_info} says; 0 for other collectors. */
    static long used(String said) {
        return USED.matcher(said)
                .results()
                .mapToLong(part -> Long.parseLong(part.group(1)) << 10 * (1 + "KMG".indexOf(part.group(2))))
                .sum();
    }

    /** The bytes that are free for what lives long, by what {@code GC.heap_info} says; NaN for other collectors. */
    static double free(String said) {
        var old = OLD.matcher(said);
        if (old.find()) {
            return size(old) - 1024 * Double.parseDouble(old.group(1));
        }
        var g1 = G1.matcher(said);
        return g1.find()
                ? size(g1)
                        - 1024
                                * (Double.parseDouble(g1.group(1))
                                        - Double.parseDouble(g1.group(4))
                                        + Double.parseDouble(g1.group(5)))
                : Double.NaN;
    }

    private static double size(Matcher from) {
        return Long.parseUnsignedLong(from.group(3), 16) - Long.parseUnsignedLong(from.group(2), 16);
    }

    /** The milliseconds of CPU time that the busiest thread of the collector used between two prints. */
    static double collecting(String first, String last) {
        double most = 0;
        for (var after = COLLECTS.matcher(last); after.find(); ) {
            for (var before = COLLECTS.matcher(first); before.find(); ) {
                if (before.group(1).equals(after.group(1))) {
                    most = Math.max(most, Double.parseDouble(after.group(2)) - Double.parseDouble(before.group(2)));
                }
            }
        }
        return most;
    }
}
