package whatwaits.rules;

import java.util.HashSet;
import java.util.Map;

/**
 * Which JVM a dump is of, as far as it says: two pods of one service have threads of the same numbers and names.
 *
 * @param pid the number of the process; null if it is not named
 * @param source what a log puts before each line, without times; empty if there is nothing, or nothing that names a writer
 * @param line the line of the text with which it begins; 0 if it is the only one
 * @param addresses of platform threads, by their number: the JVM keeps them, and the next one has others
 * @param ages of these threads in seconds
 * @param mark of what else it says; 0 if that is nothing
 */
record Origin(String pid, String source, int line, Map<Long, String> addresses, Map<Long, Double> ages, int mark) {

    static Origin of(TextDump print) {
        return new Origin(print.pid, "", 0, print.addresses, print.ages, 0);
    }

    Origin in(String from, int at) {
        return new Origin(pid, from, at, addresses, ages, mark);
    }

    /**
     * Whether two are of different JVMs.
     *
     * @param apart the seconds between the dumps; NaN if they do not say when they were taken
     */
    boolean tellsApart(Origin other, double apart) {
        if (pid != null && other.pid != null && !pid.equals(other.pid)) {
            return true;
        }
        var same = new HashSet<String>();
        int common = 0;
        int agree = 0;
        for (var one : addresses.entrySet()) {
            var there = other.addresses.get(one.getKey());
            common += there == null ? 0 : 1;
            if (one.getValue().equals(there)) {
                agree++;
                same.add(there);
            }
        }
        if (2 * agree < common) {
            return true;
        }
        var grown = grown(other);
        boolean young = apart > 0 ? grown < -1 : apart < 0 && grown > 1;
        if (same.size() >= ADDRESSES && !young) {
            return false;
        }
        // a clock that stands is none
        return grown != 0 && Math.abs(grown - apart) > TOGETHER || !source.isEmpty() && isElsewhere(other);
    }

    private boolean isElsewhere(Origin other) {
        return !other.source.isEmpty() && !source.equals(other.source);
    }

    /** So many cannot be the same by chance. */
    private static final int ADDRESSES = 3;

    /** A header names whole seconds, and a slow dump its threads later. */
    private static final double TOGETHER = 5;

    /** By how much the oldest thread of both is older in the other; NaN if they do not say it. */
    private double grown(Origin other) {
        return ages.entrySet().stream()
                .filter(one -> other.ages.containsKey(one.getKey()))
                .max(Map.Entry.comparingByValue())
                .map(one -> other.ages.get(one.getKey()) - one.getValue())
                .orElse(Double.NaN);
    }

    /** Whether both say how old threads are, and no thread is older in one than in the other; null if they do not. */
    Boolean isAsOld(Origin other) {
        var common = ages.keySet().stream().filter(other.ages::containsKey).toList();
        return common.isEmpty()
                ? null
                : common.stream().allMatch(id -> ages.get(id).equals(other.ages.get(id)));
    }
}
