package whatwaits.look;

import com.sun.management.OperatingSystemMXBean;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import whatwaits.rules.Owner;

/**
 * A JVM that commands reach: what it says of itself, and what the system says of its process if that is one of this
 * machine. Figures are NaN where nobody says them.
 */
final class Reach {

    static final Duration SOON = Duration.ofSeconds(10);

    /** The first Java whose scheduler of virtual threads has a command. */
    static final int SCHEDULER_SINCE = 24;

    /** The first whose dumps have states, carriers and locks. */
    static final int NAMES_STATES_SINCE = 25;

    /** The Java whose dumps may catch threads while they mount or unmount. */
    private static final int DUMPS_WHAT_MOVES = 25;

    private static final Pattern CPUS = Pattern.compile("(?m)^active_processor_count: (\\d+)|initial active (\\d+)\\)");
    private static final Pattern VERSION = Pattern.compile("(?m)^JDK (\\d+(?:\\.\\d+)*)");

    /** What is in use in the heap, or in each of its parts. */
    private static final Pattern MOST = Pattern.compile("-XX:(?:Soft)?MaxHeapSize=(\\d+)");

    final Commands commands;

    /** In words. */
    final String source;

    final long pid;
    final String version;
    final int java;

    /** Its main class or jar. */
    final String main;

    private final String classPath;
    private final String arguments;

    /** Null if it runs elsewhere. */
    private final Target target;

    private int cpus;
    private boolean held;

    private Reach(Commands commands, Target target, long pid, String source) throws IOException, InterruptedException {
        this.commands = commands;
        this.target = target;
        this.pid = pid;
        this.source = source;
        var said = VERSION.matcher(commands.send(SOON, "VM.version"));
        if (!said.find()) {
            throw new IOException("it does not say its version");
        }
        version = said.group(1);
        java = Runtime.Version.parse(version).feature();
        // what the machine says runs no Java code: that needs files of a JDK which may have been replaced
        var line = commands.send(SOON, "VM.command_line");
        main = LocalJvm.main(after("java_command: ", line));
        classPath = after("java_class_path (initial): ", line);
        arguments = after("jvm_args: ", line);
    }

    private static String after(String label, String text) {
        var line = text.lines().filter(one -> one.startsWith(label)).findFirst();
        return line.map(one -> one.substring(label.length())).orElse("");
    }

    /**
     * Reaches a JVM of this machine, or this one itself.
     *
     * @throws IllegalArgumentException with one sentence that says why not, and what to do instead
     */
    static Reach to(long pid) throws InterruptedException {
        boolean own = pid == ProcessHandle.current().pid();
        var target = own ? Target.here() : Target.of(pid);
        var commands = own ? new OwnCommands() : Attachment.to(target);
        try {
            return new Reach(commands, target, pid, "process " + pid).withVirtualThreads();
        } catch (IOException e) {
            throw Attachment.refusal(target, e.getMessage());
        }
    }

    /**
     * Reaches a JVM elsewhere.
     *
     * @param which its process ID there, or part of its main class or jar; null if there is only one
     * @throws IllegalArgumentException with one sentence that says why not, and what to do instead
     */
    static Reach by(String prefix, String which) throws InterruptedException {
        var there = new Prefix(prefix, which);
        try {
            var source = "process %d by %s".formatted(there.pid(), there);
            return new Reach(there, null, there.pid(), source).withVirtualThreads();
        } catch (IOException e) {
            throw there.refusal(e);
        }
    }

    private Reach withVirtualThreads() {
        if (java < 21) {
            throw new IllegalArgumentException(
                    "%s runs on Java %d, which has no virtual threads and no dump of all threads: look at one on Java 21 or newer, or read what jstack %d prints"
                            .formatted(source, java, pid));
        }
        return this;
    }

    /** Whether a dump may end it (JDK-8364343). */
    boolean dumpIsRisky() {
        return java == DUMPS_WHAT_MOVES;
    }

    /** Whether its runtime has Flight Recorder, which holds virtual threads still. */
    boolean hasRecorder() throws InterruptedException {
        try {
            commands.send(SOON, "JFR.check");
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Makes a dump safer. Java 25 dumps virtual threads while they mount and unmount, and reads data that is gone: the
     * whole JVM may end (JDK-8364343, fixed in 26). Most of the threads are held still once anything uses the tool
     * interface (JVM TI), as Flight Recorder does from its first recording on.
     */
    synchronized void holdStill() throws InterruptedException {
        if (dumpIsRisky() && !held) {
            held = true;
            var name = newName();
            try {
                commands.send(SOON, "JFR.start disk=false settings=none name=" + name);
                commands.send(SOON, "JFR.stop name=" + name);
            } catch (IOException e) {
                // this runtime has none
            }
        }
    }

    /** A name for a recording that no other has. */
    static String newName() {
        return "whatwaits-%x".formatted(ThreadLocalRandom.current().nextLong());
    }

    /** The same failure in one sentence. */
    IllegalStateException ended(IOException e) {
        return new IllegalStateException(
                target == null || target.remains()
                        ? "%s (%s) cannot be looked at any more: %s".formatted(source, main, e.getMessage())
                        : "%s (%s) has ended: %s".formatted(source, main, Target.LISTED));
    }

    /** Whether its process is known to have ended. */
    boolean hasEnded() {
        return target != null && !target.remains();
    }

    boolean isElsewhere() {
        return target == null;
    }

    /** Its platform threads; 0 where nobody says. */
    int threads() {
        return target == null ? 0 : target.threads();
    }

    double cpuSeconds() {
        return target == null ? Double.NaN : target.cpuSeconds();
    }

    /** What the system writes about it; null if that is another system. */
    ProcessFiles files() {
        return target == null ? null : new ProcessFiles(pid);
    }

    /**
     * A folder that it can write to; null if there is none with so many bytes free.
     *
     * @throws IOException if one elsewhere cannot be made
     */
    Folder folder(long room) throws IOException, InterruptedException {
        return commands instanceof Prefix there
                ? there.folder()
                : Exchange.with(target, room, commands instanceof Attachment);
    }

    /** The share of the CPUs of its machine that was busy with any program since the call before. */
    double machine() {
        double busy = target == null
                ? Double.NaN
                : ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class)
                        .getCpuLoad();
        return busy < 0 ? Double.NaN : busy;
    }

    /** How many processors it may use: it says so in a long report, of which the rest is of no concern. */
    synchronized int cpus() throws InterruptedException {
        if (cpus == 0) {
            try {
                var said = CPUS.matcher(commands.send(SOON, "VM.info"));
                if (said.find()) {
                    cpus = Integer.parseInt(said.group(1) == null ? said.group(2) : said.group(1));
                }
            } catch (IOException e) {
                // this machine's is the next best
            }
            cpus = cpus > 0 ? cpus : Runtime.getRuntime().availableProcessors();
        }
        return cpus;
    }

    /** The bytes of its heap that are in use, and its most; 0 where it does not say. */
    long[] heap() throws IOException, InterruptedException {
        long used = Heap.used(commands.send(SOON, "GC.heap_info"));
        var most = MOST.matcher(commands.send(SOON, "VM.flags"));
        return new long[] {used, most.find() ? Long.parseLong(most.group(1)) : 0};
    }

    /** The options of the JVM. A value that is more than a number or a size may be a secret. */
    List<String> options(boolean values) {
        return Stream.of(arguments.split(" "))
                .filter(word -> word.startsWith("-X") || word.startsWith("-D"))
                .map(option -> values || option.matches("[^=]*(=\\d+\\w?)?") && !option.startsWith("-D")
                        ? option
                        : option.replaceFirst("(?s)=.*", ""))
                .toList();
    }

    /** Whose code its classes are, by the places of its class path in its own file system; also names the jars. */
    Function<String, Owner> owners(Set<String> jars) {
        if (commands instanceof OwnCommands) {
            return Places.here();
        }
        var entries = Stream.of(classPath.split(Pattern.quote(File.pathSeparator)))
                .map(this::seen)
                .toList();
        var here = target == null ? "" : target.directory().toString();
        var agents = Stream.of(arguments.split(" "))
                .filter(word -> word.startsWith("-javaagent:"))
                .map(word -> word.substring("-javaagent:".length()).replaceFirst("=.*", ""));
        for (String entry : Stream.concat(entries.stream(), agents).toList()) {
            try {
                if (entry.endsWith(".jar")) {
                    jars.add(entry.replaceFirst(".*/", ""));
                }
                if (entry.endsWith(".jar") && target != null) {
                    Places.Jar.of(Path.of(here).resolve(entry)).names().stream()
                            .filter(name -> name.startsWith("BOOT-INF/lib/") && name.endsWith(".jar"))
                            .forEach(name -> jars.add(name.replaceFirst(".*/", "")));
                }
            } catch (InvalidPathException e) {
                // no file of this system
            }
        }
        return target == null
                ? Owner::byName
                : Places.of(seen(main), String.join(File.pathSeparator, entries), here, LocalJvm.callers());
    }

    private String seen(String entry) {
        return entry.startsWith("/") && target != null ? target.seen(entry).toString() : entry;
    }
}
