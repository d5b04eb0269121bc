package whatwaits.look;

import com.sun.management.OperatingSystemMXBean;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.StringReader;
import java.lang.management.ManagementFactory;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.Channel;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import whatwaits.rules.DumpReader;
import whatwaits.rules.Owner;
import whatwaits.rules.Pool;
import whatwaits.rules.Requests;
import whatwaits.rules.Sample;
import whatwaits.rules.TextDump;
import whatwaits.rules.Thresholds;

/**
 * Looks at a running JVM for a few seconds by the attach mechanism's commands alone. Unlike {@link Jvm}, it starts no
 * management agent there, opens no port and needs no module in that JVM but {@code java.base}; what it does not have is
 * missing in the evidence, and said.
 */
public final class Look implements AutoCloseable {

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
            Callable<Requests> load) {}

    private static final Duration PERIOD = Duration.ofMillis(250);
    private static final Duration ANSWER = Duration.ofMillis(1_200);
    private static final Duration SOON = Duration.ofSeconds(10);
    private static final Duration LONG = Duration.ofMinutes(2);

    /** Needed in the file system of the watched JVM: a recording takes at most ten million bytes. */
    private static final long ROOM = 50L << 20;

    /** Needed there for a dump that does not go through a pipe: one of a million threads took 1.8 GB. */
    private static final long ROOM_FOR_ALL = 2L << 30;

    private static final Pattern SCHEDULER = Pattern.compile(
            "parallelism = (\\d+), size = (\\d+), active = (\\d+),.* tasks = (\\d+), submissions = (\\d+)");
    private static final Pattern CPUS = Pattern.compile("(?m)^active_processor_count: (\\d+)|initial active (\\d+)\\)");
    private static final Pattern VERSION = Pattern.compile("(?m)^JDK (\\d+(?:\\.\\d+)*)");
    private static final String NAME = "whatwaits";

    private final Target target;
    private final Attachment attachment;
    private final Machine machine;
    private final ProcessFiles files;
    private final int java;
    private final long start;
    private final Instant begun = Instant.now();
    private final List<String> costs = new ArrayList<>();
    private final List<String> left = new ArrayList<>(List.of("its attach listener"));
    private final List<String> missing = new ArrayList<>();
    private final List<Fast> fast = new ArrayList<>();
    private final List<Print> prints = new ArrayList<>();
    private Exchange exchange;
    private long printed;

    /** Whether somebody else records there, too. */
    private boolean others;

    /** The CPU time of its pools at the last tick. */
    private Map<String, Double> ticked = Map.of();

    private byte[] dump;

    /** Another dump, where the first shows threads that may wait for each other. */
    private byte[] later;

    /** Null before a recording has begun, empty while it runs. */
    private byte[] recording;

    /** One reading of the scheduler and of the process. */
    private record Fast(long nanos, double[] scheduler, double cpuSeconds) {}

    private record Print(long nanos, String text) {}

    /**
     * What the machine itself says about its program, without running Java code: that needs files of a JDK which may have
     * been replaced.
     *
     * @param version its release
     * @param command main class or jar, and arguments
     * @param classPath its class path
     */
    private record Machine(String version, String command, String classPath) {

        static Machine of(Attachment attachment) throws IOException, InterruptedException {
            var version = VERSION.matcher(attachment.command(ANSWER, "VM.version"));
            if (!version.find()) {
                throw new IOException("it does not say its version");
            }
            var line = attachment.command(ANSWER, "VM.command_line");
            return new Machine(
                    version.group(1), after("java_command: ", line), after("java_class_path (initial): ", line));
        }

        private static String after(String label, String text) {
            var line = text.lines().filter(one -> one.startsWith(label)).findFirst();
            return line.map(one -> one.substring(label.length())).orElse("");
        }
    }

    private Look(Target target, Attachment attachment, Machine machine, int java, long start) {
        this.target = target;
        this.attachment = attachment;
        this.machine = machine;
        files = new ProcessFiles(target.pid());
        this.start = start;
        this.java = java;
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
        long start = System.nanoTime();
        if (pid == ProcessHandle.current().pid()) {
            throw new IllegalArgumentException("process %d is this command itself".formatted(pid));
        }
        var target = Target.of(pid);
        var attachment = Attachment.to(target);
        try {
            var machine = Machine.of(attachment);
            int java = Runtime.Version.parse(machine.version).feature();
            if (java < 21) {
                throw new IllegalArgumentException(
                        "process %d runs on Java %d, which has no virtual threads and no dump of all threads: look at one on Java 21 or newer, or read what jstack %d prints"
                                .formatted(pid, java, pid));
            }
            var look = new Look(target, attachment, machine, java, start);
            look.costs.add("attaching took %d ms".formatted(look.since(start)));
            return look;
        } catch (IOException e) {
            throw Attachment.refusal(target, e.getMessage());
        }
    }

    /** {@return the JVMs on this machine that can be looked at, the youngest first; attaches to none} */
    public static List<LocalJvm> list() {
        return Target.all(Set.of());
    }

    /** {@return the feature version of its Java} */
    public int java() {
        return java;
    }

    /** {@return its main class or jar} */
    public String main() {
        return LocalJvm.main(machine.command, Set.of());
    }

    /** {@return whether a dump may end it (JDK-8364343)} */
    public boolean dumpIsRisky() {
        return java == Dumps.DUMPS_WHAT_MOVES;
    }

    private long since(long nanos) {
        return Math.round((System.nanoTime() - nanos) / 1e6);
    }

    /**
     * {@return what is seen in some time}
     *
     * @param wish what is wanted
     * @throws IllegalStateException if the JVM ends meanwhile
     * @throws InterruptedException if this thread is interrupted
     */
    public Evidence look(Wish wish) throws InterruptedException {
        boolean dumps =
                wish.dump == Dump.YES || wish.dump == Dump.SAFE && (!dumpIsRisky() || wish.agrees.test(hasRecorder()));
        var load = wish.load == null ? null : new FutureTask<>(wish.load);
        if (load != null) {
            Thread.ofPlatform().daemon().name("load").start(load);
        }
        try {
            return seen(wish, dumps, load);
        } catch (IOException e) {
            throw ended(e);
        } finally {
            if (load != null) {
                load.cancel(true);
            }
        }
    }

    /** Whether its runtime has Flight Recorder, which holds virtual threads still. */
    private boolean hasRecorder() throws InterruptedException {
        try {
            attachment.command(SOON, "JFR.check");
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private Evidence seen(Wish wish, boolean dumps, FutureTask<Requests> load)
            throws IOException, InterruptedException {
        var system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        // each call covers the time since the one before
        system.getCpuLoad();
        long from = System.nanoTime();
        boolean many = target.threads() > Thresholds.THREADS && !wish.large;
        if (many) {
            missing.add(
                    "the threads: it has %,d platform threads, more than %,d (--many-threads takes a dump all the same)"
                            .formatted(target.threads(), Thresholds.THREADS));
        }
        read();
        files.read();
        print(many);
        exchange = Exchange.with(target, ROOM);
        if (exchange == null) {
            missing.add(
                    "all threads, pins, files and pauses: its file system has no folder that it may write to with %d MB free"
                            .formatted(ROOM >> 20));
        }
        boolean records = record();
        int cpus = cpus();
        sample(from + wish.time.toNanos() / 2, wish.time);
        if (dumps && !many) {
            if (dumpIsRisky() && !records) {
                costs.add("the dump was taken without Flight Recorder, which makes one safer on Java 25 (JDK-8364343)");
            }
            dump = dump(wish.large, "the dump");
        } else if (!many) {
            missing.add(
                    dumpIsRisky()
                            ? "what virtual threads without a carrier wait for: only a dump says, and on Java 25 it"
                                    + " may end the JVM (JDK-8364343); --dumps takes one"
                            : "what virtual threads without a carrier wait for: only a dump says, and --no-dumps"
                                    + " forbids it");
        }
        files.read();
        print(many);
        // while there is time: whatever the report will need is loaded and warm then
        var jars = new TreeSet<String>();
        var owners = owners(jars);
        own(owners, prints.stream().map(Print::text).toList());
        boolean suspects = dump != null && suspectsCircle(owners);
        sample(from + wish.time.toNanos(), wish.time);
        if (suspects) {
            later = dump(wish.large, "a second dump, because the first shows threads that may wait for each other,");
        }
        double busy = system.getCpuLoad();
        if (records) {
            stopRecording();
        }
        files.read();
        print(many);
        read();
        if (!prints.isEmpty()) {
            costs.add("reading its platform threads stopped all of them %d times, for %.0f ms together"
                    .formatted(prints.size(), printed / 1e6));
        }
        double seconds = (System.nanoTime() - from) / 1e9;
        var requests = Requests.unknown("nobody counted the requests: --requests or --url does");
        if (load != null) {
            try {
                requests = load.get();
            } catch (ExecutionException e) {
                requests = Requests.unknown("the load failed: " + e.getCause().getMessage());
            }
        }
        var texts = prints.stream().map(Print::text).toList();
        var about = new Evidence.About(
                "process " + target.pid(),
                target.pid(),
                main(),
                machine.version,
                begun.truncatedTo(ChronoUnit.SECONDS).toString(),
                seconds,
                cpus,
                busy < 0 ? Double.NaN : busy,
                files.outside(),
                requests,
                own(owners, texts),
                List.copyOf(jars),
                options(wish.values),
                costs,
                left,
                missing);
        return new Evidence(about, samples(from), texts, dump, later, recording);
    }

    /**
     * {@return one line about the time since the call before, from counters alone: no dump, no recording}
     *
     * @throws IllegalStateException if the JVM has ended
     * @throws InterruptedException if this thread is interrupted
     */
    public String tick() throws InterruptedException {
        try {
            read();
        } catch (IOException e) {
            throw ended(e);
        }
        var threads = files.cpuByPool();
        var before = ticked;
        ticked = threads;
        if (fast.size() < 2) {
            return null;
        }
        var last = fast.getLast();
        var first = fast.getFirst();
        double seconds = (last.nanos - first.nanos) / 1e9;
        var busiest = threads.entrySet().stream()
                .map(pool ->
                        Map.entry(pool.getKey(), (pool.getValue() - before.getOrDefault(pool.getKey(), 0.0)) / seconds))
                .max(Map.Entry.comparingByValue())
                .filter(pool -> pool.getValue() >= Thresholds.LITTLE)
                .map(pool -> ", most in %s: %.2f".formatted(pool.getKey(), pool.getValue()));
        var carriers = Double.isNaN(last.scheduler[0])
                ? "carriers unknown before Java 24"
                : "carriers %.0f of %.0f, queued %.0f"
                        .formatted(last.scheduler[0], last.scheduler[2], last.scheduler[1]);
        fast.removeFirst();
        return "CPUs %.2f, %s, platform threads %d%s"
                .formatted(
                        (last.cpuSeconds - first.cpuSeconds) / seconds, carriers, target.threads(), busiest.orElse(""));
    }

    private IllegalStateException ended(IOException e) {
        return new IllegalStateException(
                target.remains()
                        ? "process %d (%s) cannot be looked at any more: %s"
                                .formatted(target.pid(), main(), e.getMessage())
                        : "process %d (%s) has ended: whatwaits list shows the running JVMs"
                                .formatted(target.pid(), main()));
    }

    private void print(boolean many) throws IOException, InterruptedException {
        if (!many) {
            long began = System.nanoTime();
            var text = attachment.command(SOON, "Thread.print -e");
            printed += System.nanoTime() - began;
            prints.add(new Print(began, text));
        }
    }

    /** Samples until a time, and for a quarter of the whole at least: a busy JVM may take long to start a recording. */
    private void sample(long planned, Duration whole) throws IOException, InterruptedException {
        long next = System.nanoTime();
        long until = Math.max(planned, next + whole.toNanos() / 4);
        while (true) {
            next = Math.max(next + PERIOD.toNanos(), System.nanoTime());
            if (next > until) {
                Thread.sleep(Duration.ofNanos(Math.max(0, until - System.nanoTime())));
                return;
            }
            Thread.sleep(Duration.ofNanos(Math.max(0, next - System.nanoTime())));
            read();
        }
    }

    /** One reading: the process's CPU time from outside, and its scheduler, which has a command since Java 24. */
    private void read() throws IOException, InterruptedException {
        double[] scheduler = {Double.NaN, Double.NaN, Double.NaN, Double.NaN};
        if (java >= Watch.SCHEDULER_SINCE) {
            var said = SCHEDULER.matcher(attachment.command(SOON, "Thread.vthread_scheduler"));
            if (said.find()) {
                double queued = Double.parseDouble(said.group(4)) + Double.parseDouble(said.group(5));
                scheduler = new double[] {
                    Double.parseDouble(said.group(3)),
                    queued,
                    Double.parseDouble(said.group(1)),
                    Double.parseDouble(said.group(2))
                };
            } else {
                // no virtual thread has started yet
                scheduler = new double[] {0, 0, Double.NaN, 0};
            }
        }
        var used = ProcessHandle.of(target.pid())
                .flatMap(process -> process.info().totalCpuDuration())
                .map(Duration::toNanos);
        fast.add(new Fast(
                System.nanoTime(), scheduler, used.map(nanos -> nanos / 1e9).orElse(Double.NaN)));
    }

    /** The CPUs that each platform thread used between two prints, which also name the threads. */
    private List<Sample> samples(long from) throws IOException {
        var stacks = new DumpReader(Owner::byName);
        var read = new ArrayList<TextDump>();
        for (Print print : prints) {
            read.add(TextDump.read(new StringReader(print.text), stacks));
        }
        var samples = new ArrayList<Sample>();
        for (int i = 1; i < fast.size(); i++) {
            var one = fast.get(i);
            var before = fast.get(i - 1);
            var used = new HashMap<Long, Double>();
            var pools = new TreeMap<String, Sample.Use>();
            int to = 1;
            while (to < prints.size() - 1 && prints.get(to).nanos < one.nanos) {
                to++;
            }
            if (to < prints.size()) {
                double nanos = prints.get(to).nanos - prints.get(to - 1).nanos;
                var earlier = read.get(to - 1).cpuMillis();
                for (var thread : read.get(to).threads()) {
                    var now = read.get(to).cpuMillis().get(thread.id());
                    if (now != null) {
                        double cpus = Math.max(0, now - earlier.getOrDefault(thread.id(), 0.0)) * 1e6 / nanos;
                        used.put(thread.id(), cpus);
                        if (!Pool.isJvms(thread.name())) {
                            pools.merge(
                                    Pool.of(thread.name()),
                                    new Sample.Use(1, cpus),
                                    (a, b) -> new Sample.Use(a.threads() + b.threads(), a.cpus() + b.cpus()));
                        }
                    }
                }
            }
            samples.add(new Sample(
                    (one.nanos - from) / 1e9,
                    used.size(),
                    one.scheduler[0],
                    one.scheduler[1],
                    one.scheduler[2],
                    one.scheduler[3],
                    (one.cpuSeconds - before.cpuSeconds) / ((one.nanos - before.nanos) / 1e9),
                    Double.NaN,
                    pools,
                    used));
        }
        return samples;
    }

    /** How many processors the JVM may use: it says so in a long report, of which the rest is of no concern. */
    private int cpus() throws InterruptedException {
        try {
            var said = CPUS.matcher(attachment.command(SOON, "VM.info"));
            if (said.find()) {
                return Integer.parseInt(said.group(1) == null ? said.group(2) : said.group(1));
            }
        } catch (IOException e) {
            // this machine's is the next best
        }
        return Runtime.getRuntime().availableProcessors();
    }

    private boolean record() throws InterruptedException {
        if (exchange == null) {
            return false;
        }
        long began = System.nanoTime();
        try {
            // beside a recording on disk, one in memory stays empty
            others = attachment.command(SOON, "JFR.check").contains("(running)");
            var where = others ? " disk=true " : " disk=false ";
            var answer = attachment.command(SOON, "JFR.start name=" + NAME + where + Recording.SETTINGS);
            if (answer.contains("Started recording")) {
                recording = new byte[0];
                costs.add("starting Flight Recorder took %d ms".formatted(since(began)));
                if (!others) {
                    left.add("Flight Recorder's threads");
                }
                return true;
            }
            throw new IOException(answer.strip().replaceFirst("(?s)\\R.*", ""));
        } catch (IOException e) {
            missing.add("pins, files and pauses: it has no Flight Recorder (%s)".formatted(e.getMessage()));
            return false;
        }
    }

    private void stopRecording() throws IOException, InterruptedException {
        long began = System.nanoTime();
        var file = "events.jfr";
        attachment.command(SOON, "JFR.stop name=" + NAME + " filename=" + exchange.file(file));
        try {
            var all = exchange.read(file);
            recording = others ? Recording.ownEvents(all) : all;
            costs.add("reading the recording took %d ms".formatted(since(began)));
        } catch (IOException e) {
            recording = null;
            missing.add("pins, files and pauses: " + e.getMessage());
        }
    }

    /**
     * Takes a dump of all threads. Through a pipe, where there is one: nothing is written to a disk, and one that turns
     * out too large ends where this end of the pipe is closed.
     */
    private byte[] dump(boolean large, String which) throws IOException, InterruptedException {
        if (exchange == null) {
            return null;
        }
        long began = System.nanoTime();
        var name = "threads.json";
        boolean pipe = exchange.hasPipe();
        var file = pipe ? exchange.pipe() : exchange.file(name);
        if (!pipe && exchange.room() < ROOM_FOR_ALL) {
            missing.add(
                    "all threads: a dump of unknown size needs %d GB free in its folder for temporary files, or mkfifo here"
                            .formatted(ROOM_FOR_ALL >> 30));
            return null;
        }
        var asks = new FutureTask<>(() ->
                attachment.command(LONG, "Thread.dump_to_file -format=json " + (pipe ? "-overwrite " : "") + file));
        var text = new ByteArrayOutputStream();
        boolean whole = true;
        if (pipe) {
            whole = throughPipe(asks, text, large ? Integer.MAX_VALUE : Thresholds.THREADS);
        } else {
            asks.run();
        }
        boolean taken = !whole || isTaken(asks, which);
        if (taken && !pipe) {
            text.write(exchange.read(name));
        }
        costs.add("%s took %d ms".formatted(which, since(began)));
        if (!whole && dump == null) {
            missing.add(
                    "the threads after the first %,d: --many-threads takes them, too".formatted(Thresholds.THREADS));
        }
        return taken ? text.toByteArray() : null;
    }

    /** Reads the dump while the JVM writes it; returns whether it has no more than so many threads. */
    private boolean throughPipe(FutureTask<String> asks, ByteArrayOutputStream text, int most)
            throws IOException, InterruptedException {
        int threads = 0;
        var keeper = exchange.openPipe(true);
        var end = exchange.openPipe(false);
        var read = new CountDownLatch(1);
        var asking = Thread.ofPlatform().daemon().name("asks for a dump").start(() -> {
            asks.run();
            // if the JVM has not opened it, nobody has: the reading ends
            close(keeper);
            // unless another program of its user has: that may keep it open for ever
            if (!awaited(read)) {
                close(end);
            }
        });
        try (var from = Channels.newInputStream(end)) {
            var buffer = new byte[1 << 16];
            // before Java 25 the JVM does not notice that nobody reads, and writes on: more slowly than to a reader
            for (int n = from.read(buffer); n >= 0 && (threads <= most || java < 25); n = from.read(buffer)) {
                close(keeper);
                if (threads <= most) {
                    text.write(buffer, 0, n);
                    threads += count(buffer, n);
                }
            }
        } catch (AsynchronousCloseException e) {
            // what the JVM has written has been read
        } finally {
            read.countDown();
            close(keeper);
        }
        asking.join();
        return threads <= most;
    }

    private static boolean awaited(CountDownLatch read) {
        try {
            return read.await(SOON.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            return false;
        }
    }

    private static void close(Channel pipe) {
        try {
            pipe.close();
        } catch (IOException e) {
            // nothing is kept
        }
    }

    /** How many threads begin in some bytes of a dump. */
    private static int count(byte[] bytes, int length) {
        int threads = 0;
        for (int i = 4; i < length; i++) {
            if (bytes[i] == '"'
                    && bytes[i - 1] == 'd'
                    && bytes[i - 2] == 'i'
                    && bytes[i - 3] == 't'
                    && bytes[i - 4] == '"') {
                threads++;
            }
        }
        return threads;
    }

    /** Whether a dump was taken; otherwise says why not. */
    private boolean isTaken(FutureTask<String> asks, String which) throws IOException, InterruptedException {
        String why;
        try {
            why = asks.get().strip().replaceFirst("(?s)\\R.*", "");
            if (why.startsWith("Created")) {
                return true;
            }
        } catch (ExecutionException e) {
            if (!target.remains()) {
                throw new IOException("it has ended while it was dumped");
            }
            why = e.getCause().getMessage();
        }
        missing.add((dump == null ? "all threads: " : "") + "%s failed (%s)".formatted(which, why));
        return false;
    }

    private boolean suspectsCircle(Function<String, Owner> owners) throws IOException {
        var stacks = new DumpReader(owners);
        var all = stacks.read(new StringReader(new String(dump, StandardCharsets.UTF_8)), cut -> {});
        if (java < Dumps.NAMES_STATES_SINCE) {
            all = TextDump.read(new StringReader(prints.getLast().text), stacks).complete(all);
        }
        return all.suspectsCircle();
    }

    /** Whose code its classes are, by the places of its class path in its own file system; also names the jars. */
    private Function<String, Owner> owners(Set<String> jars) {
        var entries = Stream.of(machine.classPath.split(Pattern.quote(File.pathSeparator)))
                .map(entry -> entry.startsWith("/") ? target.seen(entry).toString() : entry)
                .toList();
        var start = main();
        var here = target.directory().toString();
        for (String entry :
                Stream.concat(entries.stream(), target.agents().stream()).toList()) {
            try {
                if (entry.endsWith(".jar")) {
                    jars.add(entry.replaceFirst(".*/", ""));
                    Places.Jar.of(Path.of(here).resolve(entry)).names().stream()
                            .filter(name -> name.startsWith("BOOT-INF/lib/") && name.endsWith(".jar"))
                            .forEach(name -> jars.add(name.replaceFirst(".*/", "")));
                }
            } catch (InvalidPathException e) {
                // no file of this system
            }
        }
        return Places.of(
                start.startsWith("/") ? target.seen(start).toString() : start,
                String.join(File.pathSeparator, entries),
                here,
                Set.of());
    }

    /** The classes on the stacks that are the program's own, which only a look at the machine itself can tell. */
    private List<String> own(Function<String, Owner> owners, List<String> texts) throws IOException {
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
        if (recording != null && recording.length > 0) {
            Recording.read(recording, stacks, new ArrayList<>());
        }
        return List.copyOf(own);
    }

    /** The options of the JVM. A value that is more than a number or a size may be a secret. */
    private List<String> options(boolean values) {
        return target.options().stream()
                .map(option -> values || option.matches("[^=]*(=\\d+\\w?)?") && !option.startsWith("-D")
                        ? option
                        : option.replaceFirst("(?s)=.*", ""))
                .toList();
    }

    /** Ends what still runs in the JVM, and removes what was written into its file system. */
    @Override
    public void close() {
        // what is closed by an interrupt removes nothing
        boolean interrupted = Thread.interrupted();
        if (recording != null && recording.length == 0) {
            try {
                attachment.command(SOON, "JFR.stop name=" + NAME);
            } catch (IOException e) {
                // ended with the JVM
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (exchange != null) {
            exchange.close();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
