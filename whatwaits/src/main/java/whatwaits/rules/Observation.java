package whatwaits.rules;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import whatwaits.rules.Limit.Kind;

/**
 * What was observed of a JVM over some time. A thread of the dump that seems to compute, but whose carrier was mounted
 * and used no CPU, waits: for a class that is being initialized, or in native code. The JVM reports it as runnable.
 *
 * @param samples of that time
 * @param dump threads within that time
 * @param pools figures about pools, one for each
 * @param cpus processors available to that JVM
 * @param machine share of the machine's CPUs that was busy with any program; NaN where it is not known
 * @param requests those that ended in that time
 * @param moments the threads on carriers and CPUs at other moments of that time; empty if nobody looked again
 * @param outside what the system says of the process
 */
public record Observation(
        List<Sample> samples,
        ThreadDump dump,
        List<PoolFigures> pools,
        int cpus,
        double machine,
        Requests requests,
        List<ThreadDump> moments,
        Outside outside) {

    /** Corrects the dump by the CPU time that the carriers used. */
    public Observation {
        double most = Thresholds.still(machine);
        dump = corrected(samples, dump, most);
        moments = moments.stream().map(one -> corrected(samples, one, most)).toList();
    }

    /** The same where nobody looked again at what is on the carriers, nor at the process from outside. */
    Observation(
            List<Sample> samples,
            ThreadDump dump,
            List<PoolFigures> pools,
            int cpus,
            double machine,
            Requests requests) {
        this(samples, dump, pools, cpus, machine, requests, List.of(), Outside.UNKNOWN);
    }

    private static ThreadDump corrected(List<Sample> samples, ThreadDump dump, double most) {
        return dump.withStill(still(samples, dump, most)).withStill(initializing(samples, dump, most));
    }

    /** The carriers whose threads only seem to compute. */
    private static Set<Long> still(List<Sample> samples, ThreadDump dump, double most) {
        var still = new HashSet<Long>();
        double cpus = 0;
        for (ThreadState thread : dump.computing()) {
            double used = Sample.mean(samples, sample -> sample.threads().getOrDefault(thread.carrier(), Double.NaN));
            if (used < most) {
                still.add(thread.carrier());
                cpus += used;
            }
        }
        // one that passes is mounted for a moment, and not all the time
        double mounted = Sample.mean(samples, Sample::mounted);
        return mounted - cpus > Thresholds.MOUNTED * still.size() ? still : Set.of();
    }

    /** The platform threads that only seem to compute: they wait for a class that is being initialized. */
    private static Set<Long> initializing(List<Sample> samples, ThreadDump dump, double most) {
        return dump.initializing().stream()
                .map(ThreadState::id)
                .filter(id -> {
                    double used = Sample.mean(samples, one -> one.threads().getOrDefault(id, Double.NaN));
                    return used < most;
                })
                .collect(Collectors.toSet());
    }

    /**
     * {@return the same with other requests, and with their figures about pools of which the JVM itself reports none}
     *
     * @param ended the requests that ended meanwhile
     */
    public Observation with(Requests ended) {
        return new Observation(samples, dump, pools, cpus, machine, ended, moments, outside);
    }

    /** What is reported about pools of a kind, by the JVM itself or else by the source of the requests. */
    List<PoolFigures> figures(Kind kind) {
        var all = new ArrayList<>(pools);
        requests.pools().stream()
                .filter(other -> pools.stream()
                        .noneMatch(
                                one -> one.kind() == other.kind() && one.pool().equals(other.pool())))
                .forEach(all::add);
        return all.stream().filter(one -> one.kind() == kind).toList();
    }

    /**
     * Those of some threads that every look shows at the same line, where they wait for the same. Of virtual threads only
     * another dump tells; of platform threads several looks, and that it has used no CPU: otherwise it has come back.
     */
    List<ThreadState> lasting(List<ThreadState> threads) {
        var lasting = threads;
        for (boolean virtual : List.of(true, false)) {
            var looks = again(virtual);
            boolean enough = looks.size() >= (virtual ? 1 : needed());
            lasting = lasting.stream()
                    .filter(one ->
                            one.virtual() != virtual || enough && (virtual || !(used(one.id()) > Thresholds.STANDS)))
                    .toList();
            for (ThreadDump look : looks) {
                var there = look.byId();
                lasting = lasting.stream()
                        .filter(one -> one.virtual() != virtual || one.waitsStill(there.get(one.id())))
                        .toList();
            }
        }
        return lasting;
    }

    /**
     * Whether threads that two dumps show at the same line may have gone on in between. A dump names no object for a wait
     * at a socket, but each answer costs CPU time.
     */
    boolean mayGoOn(List<ThreadState> lasting) {
        boolean unnamed = lasting.stream().anyMatch(one -> one.virtual() && one.blocker() == null);
        return unnamed && Sample.mean(samples, Sample::carriers) > Thresholds.GOES_ON * lasting.size();
    }

    /** Whether every look shows several threads that wait where those of a group do. */
    boolean isSeenAgain(Group group) {
        var looks = again(group.virtual());
        return group.size() > 1
                && looks.size() >= (group.virtual() ? 1 : needed())
                && looks.stream().allMatch(look -> look.threads().stream()
                        .filter(one -> one.waits() == group.waits()
                                && one.stack().where().equals(group.where()))
                        .skip(1)
                        .findAny()
                        .isPresent());
    }

    /** How many of some threads another look shows elsewhere; one that has ended is not there. */
    long moved(List<ThreadState> threads) {
        long moved = 0;
        for (boolean virtual : List.of(true, false)) {
            var looks = again(virtual).stream().map(ThreadDump::byId).toList();
            moved += threads.stream()
                    .filter(one -> one.virtual() == virtual
                            && looks.stream()
                                    .map(look -> look.get(one.id()))
                                    .anyMatch(other -> other != null && !one.waitsStill(other)))
                    .count();
        }
        return moved;
    }

    /** The other looks that show virtual threads, or platform threads. */
    private List<ThreadDump> again(boolean virtual) {
        var later = dump.later() == null ? Stream.<ThreadDump>empty() : Stream.of(dump.later());
        if (!virtual) {
            return samples.isEmpty() ? Stream.concat(later, moments.stream()).toList() : moments;
        }
        // prints of a running program have none without a carrier
        return samples.isEmpty()
                ? Stream.concat(later, moments.stream())
                        .filter(one -> !one.besides().hidden())
                        .toList()
                : later.toList();
    }

    /** Looks of one observation are close to each other; dumps that somebody has taken are not. */
    private int needed() {
        return samples.isEmpty() ? 1 : Thresholds.LOOKS;
    }

    /** Whether anybody looked twice. */
    boolean isLook() {
        return dump.later() != null || moments.size() >= needed();
    }

    /** The dump, and the other looks. */
    List<ThreadDump> looks() {
        return Stream.concat(Stream.of(dump), moments.stream()).toList();
    }

    private double used(long thread) {
        if (dump.besides().between()) {
            return dump.besides().cpus().getOrDefault(thread, Double.NaN);
        }
        return Sample.mean(samples, one -> one.threads().getOrDefault(thread, Double.NaN));
    }

    /** The share of a CPU that a platform thread has used: in that time or, where nobody measured it, in its life. */
    double cpu(long thread) {
        double used = used(thread);
        return Double.isNaN(used) ? dump.besides().cpus().getOrDefault(thread, Double.NaN) : used;
    }

    /** {@return how many threads wait for something other than work} */
    public int waiting() {
        int all = dump.groups().stream().mapToInt(Group::size).sum();
        return all - dump.count(WaitReason.TASK) - dump.count(WaitReason.NOTHING);
    }
}
