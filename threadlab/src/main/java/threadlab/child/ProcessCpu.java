package threadlab.child;

import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;

/** The CPU time of a process. */
public final class ProcessCpu {

    /** Of a second, minute, hour and day. */
    private static final int[] SECONDS = {1, 60, 3_600, 86_400};

    private ProcessCpu() {}

    /**
     * The CPU time that all threads of a process have used since its start. The JDK reports it, but on macOS only for
     * the current process (os_getParentPidAndTimings in ProcessHandleImpl_macosx.c); there the command {@code ps} is
     * used.
     *
     * @param pid the number of a process
     * @return seconds; NaN if there is no such process, or its CPU time is not available
     */
    public static double seconds(long pid) {
        return ProcessHandle.of(pid)
                .map(process -> process.info()
                        .totalCpuDuration()
                        .map(time -> time.toNanos() / 1e9)
                        .orElseGet(() -> askPs(pid)))
                .orElse(Double.NaN);
    }

    static double askPs(long pid) {
        try {
            var ps = new ProcessBuilder("ps", "-o", "time=", "-p", String.valueOf(pid));
            ps.environment().put("LC_ALL", "C");
            var process = ps.redirectError(ProcessBuilder.Redirect.DISCARD).start();
            process.getOutputStream().close();
            try (var said = process.getInputStream()) {
                return parse(new String(said.readAllBytes()).strip());
            }
        } catch (IOException e) {
            return Double.NaN; // there is no such command
        }
    }

    /** As {@code ps} prints it: days-hours:minutes:seconds, without the leading units that it does not need. */
    static double parse(String time) {
        if (!time.matches("((\\d+-)?\\d+:)?\\d+:\\d+(\\.\\d+)?")) {
            return Double.NaN;
        }
        var parts = List.of(time.split("[-:]")).reversed();
        return IntStream.range(0, parts.size())
                .mapToDouble(i -> Double.parseDouble(parts.get(i)) * SECONDS[i])
                .sum();
    }
}
