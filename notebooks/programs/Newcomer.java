import java.io.DataInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.channels.Selector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import jdk.jfr.consumer.RecordingStream;

/**
 * Six threads wait for something for a given time. After 0.1 s a newcomer comes, a virtual thread. Measures how long it
 * waits for a carrier, how many carriers the six hold at that time, and which events they cause. The events and their
 * settings are those of JFR's ready-made settings on Java 25; on 21 a read counts from 20 ms there.
 *
 * <p>Arguments: how many milliseconds the six wait; platform or virtual (the six threads), then what they wait in,
 * words of {@link #prepare}, each at most once in a JVM; then, optionally, the other kind and its words. "native
 * method" needs the option -Djdk.reflect.useNativeAccessorOnly=true.
 *
 * <p>CSV: contender (kind of the six threads and Java version), kind, java (version), what, milliseconds (the
 * newcomer's wait), carriers (those that the six hold when it comes; 0 for platform threads), pinned
 * (jdk.VirtualThreadPinned events of 20 ms or more), reads (jdk.FileRead events that take more than half of the wait),
 * samples (jdk.NativeMethodSample events of the six: every 20 ms one thread in C is seen), enters
 * (jdk.JavaMonitorEnter events of the six, of 20 ms or more), longest read (thread, file, time).
 */
class Newcomer {

    /** What a thread does, and what ends its wait; null if the wait ends by itself. */
    record Wait(Callable<?> begin, AutoCloseable end) {
        Wait(Callable<?> begin) {
            this(begin, null);
        }
    }

    private static final Instant BEGUN = Instant.now();
    private static final long AT = System.nanoTime();

    /** The time as events have it: by the clock that was read at the beginning, even if somebody sets it later. */
    static Instant now() {
        return BEGUN.plusNanos(System.nanoTime() - AT);
    }

    record Result(String kind, String what, Instant begun, Instant ended, long milliseconds, long carriers) {

        /** The events of one kind while the six wait. */
        List<RecordedEvent> of(String event, Collection<RecordedEvent> all) {
            return all.stream()
                    .filter(each -> each.getEventType().getName().equals(event))
                    .filter(each -> each.getStartTime().isAfter(begun)
                            && each.getStartTime().isBefore(ended))
                    .toList();
        }

        /** How many of them the six threads left. */
        long ofTheSix(String event, Collection<RecordedEvent> all) {
            return of(event, all).stream()
                    .filter(each -> thread(each).startsWith(what))
                    .count();
        }
    }

    static String thread(RecordedEvent event) {
        RecordedThread thread = event.hasField("sampledThread") ? event.getThread("sampledThread") : event.getThread();
        return thread == null || thread.getJavaName() == null ? "" : thread.getJavaName();
    }

    static String described(RecordedEvent read) {
        var path = read.getString("path"); // a pipe between processes has none
        var file = path == null ? "pipe" : Path.of(path).getFileName();
        return "%s: %s in %d ms".formatted(thread(read), file, read.getDuration().toMillis());
    }

    /** When the waiting time of the six is over, as System.nanoTime(). */
    static long end;

    static long millisecondsLeft() {
        return Math.max(1, (end - System.nanoTime()) / 1_000_000);
    }

    static Wait prepare(String what, Path folder, int number) throws Exception {
        var fifo = folder.resolve("fifo-" + number);
        return switch (what) {
            case "sleep" -> new Wait(() -> load());
            case "synchronized" -> new Wait(() -> loadInSynchronized());
            case "enter synchronized" -> new Wait(() -> enter());
            case "Object.wait" -> new Wait(() -> waitForNotify());
            case "same key" -> new Wait(() -> CACHE.computeIfAbsent("tea", key -> load()));
            case "same bin" -> new Wait(() -> BIN.computeIfAbsent(SAME_HASH.get(number - 1), key -> loadOnce()));
            case "native method" -> {
                var method = Newcomer.class.getDeclaredMethod("load");
                yield new Wait(() -> method.invoke(null));
            }
            case "C that waits" -> sleepInC();
            case "class loading" -> new Wait(new SlowLoader().user());
            case "initializer" -> {
                var pattern = bytes("Newcomer$Pattern"); // now, because reading it is also a wait
                yield new Wait(() -> MethodHandles.lookup().defineHiddenClass(pattern, true));
            }
            case "other's initializer" -> new Wait(() -> Slow.VALUE);
            case "Class.forName" -> {
                Class.forName("Newcomer$SlowByName", false, Newcomer.class.getClassLoader()); // only loads it
                yield new Wait(() -> Class.forName("Newcomer$SlowByName"));
            }
            case "file" -> read(fifo);
            case "synchronous write" -> write(fifo);
            case "process" -> cat();
            case "DNS" -> lookUp(number);
            case "selector" -> {
                if (System.getProperty("os.name").startsWith("Windows")) {
                    throw new IOException("what is predicted is for Linux and macOS");
                }
                var selector = Selector.open();
                yield new Wait(() -> selector.select(), () -> selector.wakeup());
            }
            default -> throw new IllegalArgumentException("unknown: " + what);
        };
    }

    /** Stands for any slow work: it takes until the time of the six is over. */
    static Object load() {
        try {
            Thread.sleep(millisecondsLeft());
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return "loaded";
    }

    static Object loadInSynchronized() {
        synchronized (new Object()) {
            return load();
        }
    }

    /**
     * The C function usleep waits without the JDK's knowledge. In Java 21 the interface to C is a preview, which only
     * the compiler rejects, so the calls use reflection.
     */
    static Wait sleepInC() throws Exception {
        if (System.getProperty("os.name").startsWith("Windows")) {
            throw new IOException("Windows has no usleep");
        }
        var foreign = "java.lang.foreign.";
        var linker = Class.forName(foreign + "Linker");
        var nativeLinker = linker.getMethod("nativeLinker").invoke(null);
        var lookup = linker.getMethod("defaultLookup").invoke(nativeLinker);
        var address = Class.forName(foreign + "SymbolLookup").getMethod("find", String.class).invoke(lookup, "usleep");
        var layout = Class.forName(foreign + "MemoryLayout");
        var integer = Class.forName(foreign + "ValueLayout").getField("JAVA_INT").get(null);
        var integers = Array.newInstance(layout, 1);
        Array.set(integers, 0, integer);
        var descriptor = Class.forName(foreign + "FunctionDescriptor");
        var options = Class.forName(foreign + "Linker$Option").arrayType();
        var usleep = (MethodHandle) linker.getMethod(
                        "downcallHandle", Class.forName(foreign + "MemorySegment"), descriptor, options)
                .invoke(
                        nativeLinker,
                        ((Optional<?>) address).orElseThrow(),
                        descriptor.getMethod("of", layout, integers.getClass()).invoke(null, integer, integers),
                        Array.newInstance(options.componentType(), 0));
        return new Wait(() -> {
            try {
                return usleep.invoke((int) millisecondsLeft() * 1_000);
            } catch (Throwable e) { // what a method handle declares
                throw new IllegalStateException(e);
            }
        });
    }

    static final Object LOCK = new Object();
    static Object loaded;

    /** The first thread loads; the others wait for its result. */
    static Object loadOnce() {
        loaded = loaded == null ? load() : loaded;
        return loaded;
    }

    /** One thread holds the lock and loads; the others wait to enter. */
    static Object enter() {
        synchronized (LOCK) {
            return loadOnce();
        }
    }

    static Object waitForNotify() throws InterruptedException {
        var lock = new Object();
        synchronized (lock) {
            lock.wait(millisecondsLeft()); // no thread notifies
        }
        return lock;
    }

    static final Map<String, Object> CACHE = new ConcurrentHashMap<>();
    static final Map<String, Object> BIN = new ConcurrentHashMap<>();

    /** Six keys with the same hash code, so a map puts them into one bin. */
    static final List<String> SAME_HASH = List.of("AaAaAa", "AaAaBB", "AaBBAa", "AaBBBB", "BBAaAa", "BBAaBB");

    /** All six threads use this class: one runs its initializer, the others wait for it. */
    static class Slow {
        static final Object VALUE = load();
    }

    /** Like Slow, for threads that use reflection. */
    static class SlowByName {
        static final Object VALUE = load();
    }

    /** The pattern from which each thread gets a class of its own. */
    static class Pattern {
        static final Object VALUE = load();
    }

    /** The class file of a class of this program. */
    static byte[] bytes(String name) throws IOException {
        try (var file = Newcomer.class.getResourceAsStream(name + ".class")) {
            return file.readAllBytes();
        }
    }

    /** When it runs, the JVM needs the class Used and asks the class loader for it. */
    public static class User implements Callable<Object> {
        @Override
        public Object call() {
            return new Used();
        }
    }

    static class Used {}

    /** Loads User and Used itself, and takes long to load Used. */
    static class SlowLoader extends ClassLoader {
        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("Newcomer$Use")) {
                return super.loadClass(name, resolve);
            }
            if (name.endsWith("Used")) {
                load();
            }
            try {
                var bytes = bytes(name);
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        Callable<?> user() throws ReflectiveOperationException {
            return (Callable<?>) loadClass("Newcomer$User").getConstructor().newInstance();
        }
    }

    /** A FIFO is a file that one side writes and the other reads. A read waits for data. */
    static Wait read(Path path) throws Exception {
        var both = fifo(path, "rw");
        var in = new FileInputStream(path.toFile());
        return new Wait(
                () -> {
                    try (in) {
                        return in.read();
                    }
                },
                () -> {
                    both.write('\n');
                    Files.delete(path);
                });
    }

    /**
     * A FIFO holds 16 pages: 64 kB, on some machines 1 MB. A thread that writes more waits for a reader. "rwd"
     * requires each write to reach the disk.
     */
    static Wait write(Path path) throws Exception {
        int bytes = 2_000_000;
        var both = fifo(path, "rwd");
        var in = new FileInputStream(path.toFile());
        return new Wait(
                () -> {
                    both.write(new byte[bytes]);
                    return bytes;
                },
                () -> {
                    try (var all = new DataInputStream(in)) {
                        all.readFully(new byte[bytes]);
                    }
                    Files.delete(path);
                });
    }

    /** Makes a FIFO and opens it for both sides, so that neither side waits for the other to open it. */
    static RandomAccessFile fifo(Path path, String mode) throws Exception {
        if (new ProcessBuilder("mkfifo", path.toString()).start().waitFor() != 0) {
            throw new IOException("mkfifo could not make the pipe");
        }
        return new RandomAccessFile(path.toFile(), mode);
    }

    /** The command cat writes what it reads. */
    static Wait cat() throws IOException {
        var process = new ProcessBuilder("cat").start();
        return new Wait(() -> process.getInputStream().read(), process.getOutputStream());
    }

    /**
     * Linux asks for the address of a name only when it has read the file that HOSTALIASES names. Here that is a FIFO, so
     * the look-up waits inside the system's resolver, whatever a name server would answer.
     */
    static Wait lookUp(int number) throws IOException, InterruptedException {
        var names = System.getenv("HOSTALIASES");
        if (names == null || !System.getProperty("os.name").startsWith("Linux")) {
            throw new IOException("no file of names that the resolver waits for");
        }
        if (number == 1 && new ProcessBuilder("mkfifo", names).start().waitFor() != 0) {
            throw new IOException("mkfifo could not make the pipe");
        }
        return new Wait(
                () -> {
                    try {
                        return InetAddress.getByName("partner-" + number);
                    } catch (UnknownHostException nobody) {
                        return null; // the resolver has answered
                    }
                },
                number > 1
                        ? null
                        : () -> {
                            // who waits for somebody who writes finds one, and then the end of the file
                            try (var writes = new RandomAccessFile(names, "rw")) {
                                Files.delete(Path.of(names));
                            }
                        });
    }

    static Result measure(String kind, String what, int milliseconds, Path folder) throws Exception {
        ThreadFactory threads = kind.equals("virtual")
                ? Thread.ofVirtual().name(what + " ", 1).factory()
                : Thread.ofPlatform().name(what + " ", 1).factory();
        var waits = new ArrayList<Wait>();
        for (int i = 1; i <= 6; i++) {
            waits.add(prepare(what, folder, i));
        }
        loaded = null;
        var from = now();
        end = System.nanoTime() + milliseconds * 1_000_000L;
        long carriers, wait;
        try (var executor = Executors.newThreadPerTaskExecutor(threads);
                var newcomers = Executors.newVirtualThreadPerTaskExecutor()) {
            Set<Thread> begun = ConcurrentHashMap.newKeySet();
            var six = new ArrayList<Future<?>>();
            for (var each : waits) {
                six.add(executor.submit(() -> {
                    begun.add(Thread.currentThread());
                    return each.begin.call();
                }));
            }
            Thread.sleep(100);
            carriers = begun.stream().filter(thread -> isMounted(thread)).count();
            for (var each : six) {
                if (each.isDone() && System.nanoTime() < end) {
                    if (what.equals("DNS")) {
                        waits.getFirst().end.close();
                        throw new IOException("this system's resolver does not wait for the file of names");
                    }
                    throw new IllegalStateException("a thread has not waited in \"%s\": %s".formatted(what, each));
                }
            }
            long asked = System.nanoTime();
            var newcomer = newcomers.submit(() -> System.nanoTime() - asked);
            Thread.sleep(millisecondsLeft());
            for (var each : waits) {
                if (each.end != null) {
                    each.end.close();
                }
            }
            wait = Math.round(newcomer.get() / 1e6);
        }
        return new Result(kind, what, from, now(), wait, carriers);
    }

    /** A mounted virtual thread names its carrier after an @. */
    static boolean isMounted(Thread thread) {
        return thread.isVirtual() && thread.toString().contains("@");
    }

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        int milliseconds = Integer.parseInt(arguments[0]);
        var results = new ArrayList<Result>();
        var events = new ConcurrentLinkedQueue<RecordedEvent>();
        var folder = Files.createTempDirectory("fifos");
        try (var stream = new RecordingStream()) {
            stream.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ofMillis(20));
            stream.enable("jdk.FileRead").withThreshold(Duration.ofMillis(1));
            stream.enable("jdk.NativeMethodSample").withPeriod(Duration.ofMillis(20));
            stream.enable("jdk.JavaMonitorEnter").withThreshold(Duration.ofMillis(20));
            stream.setReuse(false); // the events are kept
            stream.onEvent(events::add);
            stream.startAsync();
            measure("virtual", "sleep", 200, folder); // once for nothing: the first newcomer waits for classes, too
            var kind = "";
            for (var word : List.of(arguments).subList(1, arguments.length)) {
                if (word.equals("virtual") || word.equals("platform")) {
                    kind = word;
                    continue;
                }
                try {
                    results.add(measure(kind, word, milliseconds, folder));
                } catch (IOException e) {
                    System.out.println("\"%s\" is left out: %s".formatted(word, e.getMessage()));
                }
            }
            stream.stop(); // all events have been delivered when it returns
        } finally {
            Files.delete(folder);
        }
        System.out.println("contender,kind,java,what,milliseconds,carriers,pinned,reads,samples,enters,longest read");
        int java = Runtime.version().feature();
        for (var result : results) {
            var reads = result.of("jdk.FileRead", events).stream()
                    .filter(read -> read.getDuration().toMillis() > milliseconds / 2)
                    .toList();
            System.out.printf(
                    "%s on Java %d,%s,%d,%s,%d,%d,%d,%d,%d,%d,%s%n",
                    result.kind,
                    java,
                    result.kind,
                    java,
                    result.what,
                    result.milliseconds,
                    result.carriers,
                    result.of("jdk.VirtualThreadPinned", events).size(),
                    reads.size(),
                    result.ofTheSix("jdk.NativeMethodSample", events),
                    result.ofTheSix("jdk.JavaMonitorEnter", events),
                    reads.stream()
                            .max(Comparator.comparing(RecordedEvent::getDuration))
                            .map(read -> described(read))
                            .orElse("none"));
        }
    }
}
