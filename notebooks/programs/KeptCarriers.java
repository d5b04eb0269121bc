import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.management.VirtualThreadSchedulerMXBean;

/**
 * Eight virtual threads begin to wait, in one of several ways, until all of them are released. How many have begun
 * after half a second, and how many carriers are there then?
 *
 * <p>Arguments: one or more of signal, synchronized, C function, file and process. The pool keeps an idle carrier for
 * 30 s, so a way that adds carriers must come last.
 *
 * <p>CSV: what, contender, kind, begun (how many of the eight), carriers (the size of the pool), counted as mounted (by the
 * scheduler).
 */
class KeptCarriers {

    static final int THREADS = 8;

    /** How one thread waits, and how to release it. */
    record Wait(Callable<?> begin, Callable<?> end) {}

    static volatile CountDownLatch free;

    static Wait prepare(String way) throws Exception {
        return switch (way) {
            case "signal" -> new Wait(KeptCarriers::await, () -> null);
            case "synchronized" -> new Wait(KeptCarriers::awaitInSynchronized, () -> null);
            case "C function" -> {
                // otherwise they would first wait for the class, which since Java 26 keeps no carrier
                MethodHandles.lookup().ensureInitialized(C.class);
                yield new Wait(KeptCarriers::awaitCalledByC, () -> null);
            }
            case "file" -> fifo();
            case "process" -> cat();
            default -> throw new IllegalArgumentException("unknown: " + way);
        };
    }

    static Void await() throws InterruptedException {
        free.await();
        return null;
    }

    static Void awaitInSynchronized() throws InterruptedException {
        synchronized (new Object()) {
            return await();
        }
    }

    /** The C function qsort compares two numbers; the comparison is written in Java, and waits. */
    static Void awaitCalledByC() throws Exception {
        try (var memory = Arena.ofConfined()) {
            C.QSORT.invokeExact(memory.allocate(8), 2L, 4L, C.COMPARE);
            return null;
        } catch (Throwable e) { // what a method handle declares
            throw new IllegalStateException(e);
        }
    }

    static int compare(MemorySegment left, MemorySegment right) {
        try {
            free.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // C has no exceptions
        }
        return 0;
    }

    /** The way from Java into C and back; notebook 07 explains it. */
    static class C {
        static final MethodHandle QSORT = Linker.nativeLinker()
                .downcallHandle(
                        Linker.nativeLinker().defaultLookup().find("qsort").orElseThrow(),
                        FunctionDescriptor.ofVoid(
                                ValueLayout.ADDRESS,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.JAVA_LONG,
                                ValueLayout.ADDRESS));
        static final MemorySegment COMPARE;

        static {
            try {
                var type = MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class);
                COMPARE = Linker.nativeLinker()
                        .upcallStub(
                                MethodHandles.lookup().findStatic(KeptCarriers.class, "compare", type),
                                FunctionDescriptor.of(
                                        ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS),
                                Arena.global());
                try (var memory = Arena.ofConfined()) {
                    // a single number is not compared: this call only links what later calls need
                    QSORT.invokeExact(memory.allocate(4), 1L, 4L, COMPARE);
                }
            } catch (Throwable e) { // what a method handle declares
                throw new IllegalStateException(e);
            }
        }
    }

    /** A file that has nothing to read until this program writes. */
    static Wait fifo() throws Exception {
        var folder = Files.createTempDirectory("fifo");
        var path = folder.resolve("fifo");
        if (new ProcessBuilder("mkfifo", path.toString()).start().waitFor() != 0) {
            throw new IOException("mkfifo could not make the pipe");
        }
        var writer = new RandomAccessFile(path.toFile(), "rw"); // with a writer, only read waits, not opening
        var reader = new FileInputStream(path.toFile());
        Files.delete(path);
        Files.delete(folder);
        return new Wait(reader::read, () -> {
            writer.write('\n');
            return null;
        });
    }

    /** The command cat writes what it reads. */
    static Wait cat() throws IOException {
        var process = new ProcessBuilder("cat").start();
        return new Wait(() -> process.getInputStream().read(), () -> {
            process.getOutputStream().close();
            return null;
        });
    }

    static String measure(String way) throws Exception {
        var scheduler = ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
        free = new CountDownLatch(1);
        var begun = new AtomicInteger();
        var waits = new Wait[THREADS];
        for (int i = 0; i < THREADS; i++) {
            waits[i] = prepare(way);
        }
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var wait : waits) {
                executor.submit(() -> {
                    begun.incrementAndGet();
                    return wait.begin.call();
                });
            }
            Thread.sleep(500);
            var row = String.join(
                    ",",
                    way,
                    "virtual",
                    "virtual",
                    String.valueOf(begun),
                    String.valueOf(scheduler.getPoolSize()),
                    String.valueOf(scheduler.getMountedVirtualThreadCount()));
            free.countDown();
            for (var wait : waits) {
                wait.end.call();
            }
            return row;
        }
    }

    public static void main(String[] ways) throws Exception {
        var rows = new ArrayList<String>();
        for (var way : ways) {
            try {
                rows.add(measure(way));
            } catch (IOException e) {
                System.out.println("\"%s\" is left out: %s".formatted(way, e.getMessage()));
            }
        }
        System.out.println("what,contender,kind,begun,carriers,counted as mounted");
        rows.forEach(System.out::println);
    }
}
