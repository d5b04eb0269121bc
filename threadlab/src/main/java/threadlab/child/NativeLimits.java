package threadlab.child;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import threadlab.measure.SystemLimit;
import threadlab.support.Proc;

/** How close a process is to each limit on native threads, as Linux reports in {@code /proc}. */
public final class NativeLimits {

    /** A limit counts as met when only this many are left, or this share: the count is taken a moment too late. */
    private static final int FEW = 16;

    private static final double SHARE = 0.03;

    /**
     * The limit that a child was started with.
     *
     * @param most native threads of its user at once
     * @param others those that the user already had, because Linux counts per user
     */
    record Allowed(int most, int others) {}

    /** How much of a limit is used. */
    record Use(String name, long used, long limit, String source) {
        double share() {
            return (double) used / limit;
        }

        boolean near() {
            return limit - used <= Math.max(FEW, SHARE * limit);
        }

        String inWords() {
            return "%s: %,d of %,d (%s)".formatted(name, used, limit, source);
        }
    }

    private NativeLimits() {}

    /** {@return why this JVM gets no further thread, and what to do about it} */
    public static String metHere() {
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();
        var limit = met(ProcessHandle.current().pid(), threads, null);
        return "the system allows no further thread beside the %,d of its JVM; %s: end some, or restart the kernel"
                .formatted(threads, limit);
    }

    /** Which limit a process has met, or is closest to. */
    static String met(long pid, int threads, Allowed allowed) {
        return met(uses(pid, threads, allowed));
    }

    private static List<Use> uses(long pid, int threads, Allowed allowed) {
        var uses = new ArrayList<Use>();
        if (allowed != null) {
            var whose = allowed.others > 0 ? SystemLimit.On.USER.toString() : "native threads of the child";
            int used = allowed.others > 0 ? Math.max(threadsOfThisUser(), allowed.others + threads) : threads;
            uses.add(new Use(whose, used, allowed.most, "prlimit --nproc"));
        }
        // not by Machine, which reads the number of carriers: without a further thread that fails, and ever after
        for (SystemLimit limit : SystemLimit.here()) {
            long used =
                    switch (limit.on()) {
                        case MAPPINGS ->
                            Proc.lines(Path.of("/proc/" + pid + "/maps")).size();
                        case USER -> allowed != null || LinuxLimits.ROOT ? 0 : threadsOfThisUser();
                        case CONTAINER -> number(Path.of(limit.source()).resolveSibling("pids.current"));
                        case PROCESS -> threads;
                        case SYSTEM, NUMBERS -> threadsOfTheSystem();
                    };
            uses.add(new Use(limit.on().toString(), used, limit.value(), limit.source()));
        }
        return uses;
    }

    /** Which limits are met. */
    static String met(List<Use> uses) {
        var met = uses.stream()
                .filter(Use::near)
                .sorted(Comparator.comparingDouble(Use::share).reversed())
                .map(Use::inWords)
                .toList();
        var silent = uses.isEmpty() ? ", or this system does not report its limits" : "";
        return switch (met.size()) {
            case 0 -> "no readable limit on threads was near, so the system refused memory" + silent;
            case 1 -> "the limit it met is on " + met.getFirst();
            default -> "it was at several limits at the same time: " + String.join("; ", met);
        };
    }

    /** The native threads that the user of this process has now. */
    static int threadsOfThisUser() {
        var user = Proc.field(Path.of("/proc/self/status"), "Uid:");
        try (var processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            int threads = 0;
            for (Path process : processes) {
                var status = process.resolve("status");
                if (Proc.field(status, "Uid:").equals(user)) {
                    threads += Proc.field(status, "Threads:").stream()
                            .mapToInt(Integer::parseInt)
                            .sum();
                }
            }
            return threads;
        } catch (IOException e) {
            return 0;
        }
    }

    /** The fourth word of this file is "running/all". */
    private static long threadsOfTheSystem() {
        return Proc.lines(Path.of("/proc/loadavg")).stream()
                .map(line -> line.split("[ /]"))
                .mapToLong(words -> Long.parseLong(words[4]))
                .sum();
    }

    private static long number(Path file) {
        return Proc.lines(file).stream().mapToLong(Long::parseLong).sum();
    }
}
