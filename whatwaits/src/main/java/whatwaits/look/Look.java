package whatwaits.look;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Function;
import java.util.function.Predicate;
import whatwaits.rules.DumpReader;
import whatwaits.rules.Outside;
import whatwaits.rules.Owner;
import whatwaits.rules.Requests;
import whatwaits.rules.TextDump;
import whatwaits.rules.Thresholds;

/**
 * Looks at a running JVM for a few seconds by the commands of {@code jcmd} alone: it starts no management agent there,
 * opens no port and needs no module in that JVM but {@code java.base}. What it does not have is missing in the evidence,
 * and said.
 */
public final class Look {

    /** How a dump of all threads is decided. */
    public enum Dump {
        /** Where it is harmless; otherwise only if whoever is asked agrees. */
        SAFE,
        /** In any case. */
        YES,
        /** Never. */
        NO
    }

    /**
     * What is wanted.
     *
     * @param time how long to look
     * @param dump whether to take a dump
     * @param agrees asked before a dump that may end the JVM; told whether Flight Recorder makes it safer
     * @param large whether to dump more than {@link Thresholds#THREADS} threads
     * @param values whether the values of options are kept
     * @param load sends or counts requests meanwhile, and returns those that ended; null for none
     */
    public record Wish(
            Duration time,
            Dump dump,
            Predicate<Boolean> agrees,
            boolean large,
            boolean values,
            Callable<Requests> load) {

        /** A dump in any case, of whatever size; nobody counts requests. */
        static Wish of(Duration time) {
            return new Wish(time, Dump.YES, risky -> true, true, false, null);
        }
    }

    private static final Duration PERIOD = Duration.ofMillis(250);

    /** Long enough that whoever can go on has moved. */
    private static final Duration BETWEEN_DUMPS = Duration.ofMillis(300);

    /** Needed in the file system of the watched JVM: a recording takes at most ten million bytes. */
    private static final long ROOM = 50L << 20;

    private final Reach reach;
    private final long attached;

    /** Of {@link #tick}: the readings, and the CPU time of pools at the last one. */
    private final Sampling ticks;

    private Map<String, Double> ticked = Map.of();

    Look(Reach reach, long start) {
        this.reach = reach;
        attached = Math.round((System.nanoTime() - start) / 1e6);
        ticks = new Sampling(reach, PERIOD);
    }

    /**
     * Attaches.
     *
     * @param pid the number of a process
     * @return what can be looked at
     * @throws IllegalArgumentException with one sentence that says why not, and what to do instead
     * @throws InterruptedException if this thread is interrupted
     */
    public static Look at(long pid) throws InterruptedException {
        if (pid == ProcessHandle.current().pid()) {
            throw new IllegalArgumentException("process %d is this command itself".formatted(pid));
        }
        long start = System.nanoTime();
        return new Look(Reach.to(pid), start);
    }

    /**
     * Looks at a JVM elsewhere.
     *
     * @param prefix what runs a command there, such as {@code kubectl exec POD --}
     * @param which its process ID there, or part of its main class or jar; null if there is only one
     * @return what can be looked at
     * @throws IllegalArgumentException with one sentence that says why not, and what to do instead
     * @throws InterruptedException if this thread is interrupted
     */
    public static Look by(String prefix, String which) throws InterruptedException {
        long start = System.nanoTime();
        return new Look(Reach.by(prefix, which), start);
    }

    /** {@return the JVMs on this machine that can be looked at, the youngest first; attaches to none} */
    public static List<LocalJvm> list() {
        return Target.all().stream()
                .filter(jvm -> jvm.pid() != ProcessHandle.current().pid())
                .toList();
    }

    /**
     * {@return what is seen in some time} Nothing of it is left there.
     *
     * @param wish what is wanted
     * @throws IllegalStateException if the JVM ends meanwhile
     * @throws InterruptedException if this thread is interrupted
     */
    public Evidence look(Wish wish) throws InterruptedException {
        boolean dumps = wish.dump == Dump.YES
                || wish.dump == Dump.SAFE && (!reach.dumpIsRisky() || wish.agrees.test(reach.hasRecorder()));
        var load = wish.load == null ? null : new FutureTask<>(wish.load);
        if (load != null) {
            Thread.ofPlatform().daemon().name("load").start(load);
        }
        var notes = new Notes();
        notes.cost("attaching took %d ms", attached);
        Folder folder = null;
        Recorder recorder = null;
        try {
            folder = folder(notes);
            recorder = new Recorder(reach, folder, notes);
            return seen(wish, dumps, load, notes, folder, recorder);
        } catch (IOException e) {
            throw reach.ended(e);
        } finally {
            close(recorder, folder);
            if (load != null) {
                load.cancel(true);
            }
        }
    }

    private Folder folder(Notes notes) throws InterruptedException {
        var why = "its file system has no folder that it may write to with %d MB free".formatted(ROOM >> 20);
        try {
            var folder = reach.folder(ROOM);
            if (folder != null) {
                return folder;
            }
        } catch (IOException e) {
            why = e.getMessage();
        }
        notes.missed("all threads, pins, files and pauses: %s", why);
        return null;
    }

    private static void close(Recorder recorder, Folder folder) {
        // what is closed by an interrupt removes nothing
        boolean interrupted = Thread.interrupted();
        if (recorder != null) {
            recorder.close();
        }
        interrupted |= Thread.interrupted();
        if (folder != null) {
            folder.close();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private Evidence seen(
            Wish wish, boolean dumps, FutureTask<Requests> load, Notes notes, Folder folder, Recorder recorder)
            throws IOException, InterruptedException {
        var begun = Instant.now();
        long from = System.nanoTime();
        var least = wish.time.dividedBy(4);
        var sampling = new Sampling(reach, PERIOD);
        var files = reach.files();
        reach.machine();
        boolean many = reach.threads() > Thresholds.THREADS && !wish.large;
        if (many) {
            notes.missed(
                    "the threads: it has %,d platform threads, more than %,d (--many-threads takes a dump all the same)",
                    reach.threads(), Thresholds.THREADS);
        }
        moment(sampling, files, many, false);
        sampling.read();
        double printed = sampling.seconds();
        var heap = reach.commands.send(Reach.SOON, "GC.heap_info");
        double free = Heap.free(heap);
        boolean tight = free < Thresholds.HEAP;
        boolean small = Heap.used(heap) > 0 && Heap.used(heap) < Thresholds.WALKED;
        if (tight) {
            notes.missed(
                    "all threads, pins, files and pauses: %.1f MB of its heap are free, which Flight Recorder and a dump could"
                            + " use up",
                    free / (1 << 20));
        } else if (folder != null) {
            recorder.start(wish.time);
        }
        int cpus = reach.cpus();
        sampling.until(from + wish.time.toNanos() / 2, least, null);
        byte[] dump = null;
        var dumping = new Dumping(reach, folder, notes);
        if (dumps && !many && !tight && folder != null) {
            if (reach.dumpIsRisky() && !recorder.runs()) {
                notes.cost(
                        "the dump was taken without Flight Recorder, which makes one safer on Java 25 (JDK-8364343)");
            }
            dump = dumping.take(wish.large, "the dump");
        } else if (!dumps && !many && !tight) {
            notes.missed(
                    reach.dumpIsRisky()
                            ? "what virtual threads without a carrier wait for: only a dump says, and on Java"
                                    + " 25 it may end the JVM (JDK-8364343); --dumps takes one"
                            : "what virtual threads without a carrier wait for: only a dump says, and"
                                    + " --no-dumps forbids it");
        }
        moment(sampling, files, many, small);
        // while there is time: whatever the report will need is loaded and warm then
        var jars = new TreeSet<String>();
        var owners = reach.owners(jars);
        own(owners, sampling.prints(), dump, null);
        boolean suspects = dump != null && suspectsCircle(owners, dump, sampling.prints());
        sampling.until(from + wish.time.toNanos(), least, null);
        byte[] later = suspects
                ? dumping.take(
                        wish.large, "a second dump, because the first shows threads that may wait for each other,")
                : null;
        double busy = reach.machine();
        var recording = recorder.runs() ? recorder.stop() : null;
        moment(sampling, files, many, false);
        sampling.read();
        // of a heap with room, not all that its collector does is a full collection
        double collecting = tight && !many
                ? Heap.collecting(
                                sampling.prints().getFirst(), sampling.prints().getLast())
                        / 1e3
                        / (sampling.seconds() - printed)
                : Double.NaN;
        if (!many) {
            notes.cost(
                    "reading its platform threads stopped all of them %d times, for %.0f ms together",
                    sampling.prints().size(), sampling.printed());
        }
        if (reach.isElsewhere()) {
            notes.missed(
                    "its sockets, the CPU time of compilers and collector, and the machine's CPUs: only a command on its machine sees them");
        }
        double seconds = sampling.seconds();
        var requests = Requests.unknown("nobody counted the requests: --requests or --url does");
        if (load != null) {
            try {
                requests = load.get();
            } catch (ExecutionException e) {
                requests = Requests.unknown("the load failed: " + e.getCause().getMessage());
            }
        }
        var about = Evidence.About.of(
                reach,
                new Evidence.Window(begun, seconds, cpus, busy),
                (files == null ? Outside.UNKNOWN : files.outside()).withCollecting(collecting),
                requests,
                new Evidence.Program(
                        own(owners, sampling.prints(), dump, recording), List.copyOf(jars), reach.options(wish.values)),
                notes);
        return new Evidence(about, sampling.samples(), sampling.prints(), dump, later, recording);
    }

    private void moment(Sampling sampling, ProcessFiles files, boolean many, boolean owners)
            throws IOException, InterruptedException {
        if (files != null) {
            files.read();
        }
        if (!many) {
            sampling.print(owners);
        }
    }

    /**
     * {@return one line about the time since the call before, from counters alone: no dump, no recording}
     *
     * @throws IllegalStateException if the JVM has ended
     * @throws InterruptedException if this thread is interrupted
     */
    public String tick() throws InterruptedException {
        try {
            ticks.read();
        } catch (IOException e) {
            throw reach.ended(e);
        }
        var files = reach.files();
        var threads = files == null ? Map.<String, Double>of() : files.cpuByPool();
        var before = ticked;
        ticked = threads;
        var readings = ticks.last(2);
        if (readings.size() < 2) {
            return null;
        }
        var last = readings.getLast();
        var first = readings.getFirst();
        double seconds = (last.nanos() - first.nanos()) / 1e9;
        var busiest = threads.entrySet().stream()
                .map(pool ->
                        Map.entry(pool.getKey(), (pool.getValue() - before.getOrDefault(pool.getKey(), 0.0)) / seconds))
                .max(Map.Entry.comparingByValue())
                .filter(pool -> pool.getValue() >= Thresholds.LITTLE)
                .map(pool -> ", most in %s: %.2f".formatted(pool.getKey(), pool.getValue()));
        var carriers = Double.isNaN(last.mounted())
                ? "carriers unknown before Java 24"
                : "carriers %.0f of %.0f, queued %.0f".formatted(last.mounted(), last.parallelism(), last.queued());
        double cpus = (last.cpuSeconds() - first.cpuSeconds()) / seconds;
        return "CPUs %s, %s, platform threads %s%s"
                .formatted(
                        Double.isNaN(cpus) ? "unknown" : "%.2f".formatted(cpus),
                        carriers,
                        reach.threads() == 0 ? "unknown" : reach.threads(),
                        busiest.orElse(""));
    }

    /** {@return whether its process is known to have ended} */
    public boolean hasEnded() {
        return reach.hasEnded();
    }

    private boolean suspectsCircle(Function<String, Owner> owners, byte[] dump, List<String> prints)
            throws IOException {
        var stacks = new DumpReader(owners);
        var all = stacks.read(new StringReader(new String(dump, StandardCharsets.UTF_8)), cut -> {});
        if (reach.java < Reach.NAMES_STATES_SINCE) {
            all = TextDump.read(new StringReader(prints.getLast()), stacks).complete(all);
        }
        return all.suspectsCircle();
    }

    /**
     * The classes on the stacks that are the program's own, which only a look at the machine itself can tell; null where
     * the JVM is elsewhere.
     */
    private List<String> own(Function<String, Owner> owners, List<String> texts, byte[] dump, byte[] recording)
            throws IOException {
        if (reach.isElsewhere()) {
            return null;
        }
        var own = new TreeSet<String>();
        var stacks = new DumpReader(type -> {
            var owner = owners.apply(type);
            if (owner == Owner.OWN) {
                own.add(type);
            }
            return owner;
        });
        for (String text : texts) {
            TextDump.read(new StringReader(text), stacks);
        }
        if (dump != null) {
            stacks.read(new StringReader(new String(dump, StandardCharsets.UTF_8)), cut -> {});
        }
        if (recording != null) {
            Recording.read(recording, stacks, new ArrayList<>());
        }
        return List.copyOf(own);
    }

    /**
     * {@return all threads at this moment, and, where they may wait for each other, again a moment later} On Java 25 they
     * are held still for that, as far as Flight Recorder can.
     *
     * @throws IllegalStateException if the JVM ends meanwhile, or no dump can be taken
     */
    Evidence dump() throws InterruptedException {
        var notes = new Notes();
        Folder folder = null;
        try {
            reach.holdStill();
            folder = folder(notes);
            var sampling = new Sampling(reach, PERIOD);
            var dumping = new Dumping(reach, folder, notes);
            sampling.print();
            var dump = folder == null ? null : dumping.take(true, "the dump");
            if (dump == null) {
                throw new IOException(String.join("; ", notes.missing()));
            }
            sampling.print();
            var owners = reach.owners(new TreeSet<>());
            byte[] later = null;
            if (suspectsCircle(owners, dump, sampling.prints())) {
                Thread.sleep(BETWEEN_DUMPS);
                later = dumping.take(true, "a second dump");
                sampling.print();
            }
            var window = new Evidence.Window(Instant.now(), sampling.seconds(), Double.NaN, Double.NaN);
            var own = own(owners, sampling.prints(), dump, null);
            var about = Evidence.About.of(
                    reach,
                    window,
                    Outside.UNKNOWN,
                    Requests.unknown("nobody counted the requests"),
                    new Evidence.Program(own, List.of(), List.of()),
                    notes);
            return new Evidence(about, List.of(), sampling.prints(), dump, later, null);
        } catch (IOException e) {
            throw reach.ended(e);
        } finally {
            close(null, folder);
        }
    }
}
