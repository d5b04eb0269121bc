package threadlab.support;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Of the CPU time that the measured threads asked for, the share that they got while other programs ran.
 *
 * <p>A thread that is ready to run may have to wait for a CPU. The experiment itself causes part of that wait, by more
 * computing threads than CPUs or by a quota. Other programs cause the rest. With <i>A</i> the CPU time of this JVM and
 * of the processes that work for it, <i>B</i> that of all other processes on the same CPUs, <i>S</i> the time that a
 * hypervisor gave to other machines, and <i>d</i> the time that own threads waited for a CPU, others kept
 * <i>d · B ÷ (A + B)</i>, but no more than <i>B</i>, plus <i>S · A ÷ (A + B)</i> from the experiment: it got
 * <i>A ÷ (A + what others kept)</i>.
 *
 * <p>Threads that mostly sleep ask for little CPU time, and a hypervisor takes some of it at each wake-up, which delays
 * them too little to matter. So the first {@value CpuTimes#HARMLESS} s of each second do not count as kept.
 */
public final class CpuShare {

    /**
     * With a smaller share, a claim about time or rate is not judged.
     *
     * <p>Measured with notebooks 00 and 01 at the scale {@code small} on two CPUs: with nothing beside them the shares
     * were 0.90 to 1.00; with one, two and nine computing programs, 0.36 to 0.83, 0.12 to 0.49 and 0.11 to 0.37; with
     * other learners, one on one CPU or nine on two, 0.06 to 0.38. The largest share at which a claim failed was 0.36.
     */
    public static final double ENOUGH = 0.6;

    /** A quota that stops the threads in a larger share of its periods, each time for tens of ms, delays what waits. */
    public static final double THROTTLED = 0.1;

    /** The least of those shares with nothing beside them: a larger one cannot be asked for. */
    private static final double QUIET = 0.9;

    /** With less CPU time than this, in seconds, a share would depend on chance. */
    private static final double LEAST = 0.05;

    /** A thread that has used more of one CPU than this has computed, rather than waited. */
    private static final double BUSY = 0.1;

    /** A thread that just starts, or goes to sleep, computes for less than this, in ns of CPU time. */
    private static final long NOTABLE = 5_000_000;

    /** A cell that is done sooner, in ns, measures nothing by a clock of its own. */
    private static final long SHORT = 500_000_000;

    private static final long BETWEEN_LOOKS = 1_000_000_000; // ns; each look takes some ms

    /** One for the whole JVM, because its threads share the CPUs; {@code Claims} are shared too. */
    private static final CpuShare HERE = new CpuShare(CpuTimes.ofThisSystem(), Path.of("/"));

    /** A period that is measured until it is closed. */
    public interface Window extends AutoCloseable {

        @Override
        void close();
    }

    /**
     * What one window counted, in seconds.
     *
     * @param own the CPU time of this JVM and of the processes that work for it
     * @param kept the CPU time that others kept from them
     */
    record Counted(double own, double kept) {}

    private final CpuTimes times;
    private final Path root;
    private final List<Long> alsoOwn = new ArrayList<>();
    /** With each thread, its CPU time when it was left behind and when that was, in ns. */
    private final Map<Thread, long[]> left = new HashMap<>();

    private int open;
    private long looked = System.nanoTime();
    private double own;
    private double kept;
    private CpuQuota opened = CpuQuota.NONE;
    private CpuQuota quota = CpuQuota.NONE;
    private boolean judged;
    /** How often a window was opened or a claim judged. */
    private int uses;

    CpuShare(CpuTimes times, Path root) {
        this.times = times;
        this.root = root;
    }

    /**
     * The share of this JVM.
     *
     * @return the same for each caller
     */
    public static CpuShare here() {
        return HERE;
    }

    /**
     * Counts until the window is closed. Where windows overlap, the time is counted once.
     *
     * @return the window
     */
    public synchronized Window measuring() {
        uses++;
        forgetJudged();
        if (open++ == 0) {
            times.begin(alsoOwn);
            opened = CpuQuota.below(root);
        }
        var closed = new AtomicBoolean();
        return () -> {
            if (closed.compareAndSet(false, true)) {
                end();
            }
        };
    }

    /**
     * Counts a cell that reads the clock itself: one that takes half a second or more, and in which no window is opened
     * and no claim is judged. Linux only; elsewhere it counts nothing.
     *
     * @return the window of the cell
     */
    public Window cell() {
        return CpuTimes.ofThisSystem() instanceof LinuxCpuTimes apart ? cell(apart, SHORT) : () -> {};
    }

    synchronized Window cell(CpuTimes apart, long shortest) {
        int before = uses;
        long start = System.nanoTime();
        apart.begin(alsoOwn);
        var from = CpuQuota.below(root);
        return () -> endOfCell(apart, from, before, System.nanoTime() - start >= shortest);
    }

    private synchronized void endOfCell(CpuTimes apart, CpuQuota from, int before, boolean counts) {
        if (counts && uses == before) {
            forgetJudged();
            add(apart.end(alsoOwn), from);
        }
    }

    /** Drops what was counted before the latest claims, which were judged by it. */
    private void forgetJudged() {
        if (judged) {
            own = 0;
            kept = 0;
            quota = CpuQuota.NONE;
            judged = false;
        }
    }

    private void add(Counted counted, CpuQuota from) {
        own += counted.own;
        kept += counted.kept;
        quota = quota.plus(CpuQuota.below(root).since(from));
    }

    /** At most once a second, looks at the threads that run now, because some may end before the window does. */
    public synchronized void observe() {
        if (open > 0 && System.nanoTime() - looked > BETWEEN_LOOKS) {
            times.observe(alsoOwn);
            looked = System.nanoTime();
        }
    }

    private synchronized void end() {
        if (--open == 0) {
            add(times.end(alsoOwn), opened);
        }
    }

    /**
     * Also counts a process that is no child of this JVM, such as a database that became a daemon, and its children.
     *
     * @param pid the process id; a process that has ended adds nothing
     */
    public synchronized void countAlso(long pid) {
        alsoOwn.add(pid);
    }

    /**
     * Remembers threads that an interrupted cell could not end; those that compute disturb what later cells measure.
     *
     * @param threads the threads that still run
     */
    public synchronized void leftBehind(Collection<Thread> threads) {
        threads.forEach(thread -> left.put(thread, new long[] {cpuNanos(thread), System.nanoTime()}));
    }

    /**
     * A thread that an interrupted cell has left behind and that has computed since.
     *
     * @return its name, or nothing if there is none
     */
    public synchronized Optional<String> stillComputing() {
        left.keySet().removeIf(thread -> !thread.isAlive());
        return left.entrySet().stream()
                .filter(entry -> {
                    long used = cpuNanos(entry.getKey()) - entry.getValue()[0];
                    return used > Math.max(NOTABLE, BUSY * (System.nanoTime() - entry.getValue()[1]));
                })
                .map(entry -> entry.getKey().getName())
                .findFirst();
    }

    private static long cpuNanos(Thread thread) {
        return ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.threadId());
    }

    /**
     * The share that a claim needs. Whoever got four fifths of the CPU time may have taken a quarter longer, or done a
     * fifth less: a law that allows a tenth cannot be judged then, one that allows a half can.
     *
     * @param slack the deviation from theory that the claim allows, as a share; NaN if it has no theory
     * @return from {@link #ENOUGH} to the least share of a quiet machine
     */
    public static double needed(double slack) {
        return slack > 0 ? Math.clamp(1 - slack, ENOUGH, QUIET) : ENOUGH;
    }

    /**
     * The share over what was measured since the previous claims; later measurements start a new count.
     *
     * @return from 0 to 1, such as 0.38 for 38 %; 1 where nothing was measured
     */
    public synchronized double latest() {
        uses++;
        judged = true;
        return own < LEAST ? 1 : own / (own + kept);
    }

    /**
     * How much a CPU quota stopped what was measured since the previous claims.
     *
     * @return the share of its periods in which it was used up, from 0 to 1; 0 where there is none
     */
    public synchronized double throttled() {
        return quota.share();
    }
}
