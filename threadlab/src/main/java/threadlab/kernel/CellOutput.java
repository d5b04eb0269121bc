package threadlab.kernel;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import org.dflib.jjava.jupyter.messages.publish.PublishStream.StreamType;
import threadlab.cells.Overwritten;

/**
 * Standard output and error of cells. They last as long as the kernel, so that whoever has taken {@code System.out} can
 * keep it. What threads print is collected, and published some times a second, because a message for each line floods
 * the page; a cell that prints without end is cut, and says so. What a thread of an earlier cell prints appears in the
 * latest cell, with a mark.
 */
final class CellOutput {

    private static final long BETWEEN_NANOS = 70_000_000;

    /** Times as long between two states of a line that is written over again. */
    private static final int PROGRESS = 12;

    /** Bytes of a cell that are shown as they come; Jupyter's server drops what exceeds some MB in some seconds. */
    private static final int MOST = 1_000_000;

    /** Bytes of the end of a cell that was cut. */
    private static final int TAIL = 10_000;

    /** Bytes of a line that waits for its end. */
    private static final int LONG = 1_000;

    /** Compiles cells, and lets them run elsewhere: what it writes is the compiler's word on a fault of its own. */
    static final class CompilerThread extends Thread {

        /** The compiler's recursion over a long expression needs more than the usual stack; in bytes. */
        private static final long STACK = 256L << 20;

        private final ByteArrayOutputStream said = new ByteArrayOutputStream();

        CompilerThread(Runnable work) {
            super(null, work, "compiler", STACK);
            setDaemon(true);
        }

        /** Whether the compiler has failed since this was last asked. */
        static boolean hasFailed() {
            if (!(Thread.currentThread() instanceof CompilerThread compiler)) {
                return false;
            }
            boolean failed = compiler.said.toString(StandardCharsets.UTF_8).contains("exception has occurred");
            compiler.said.reset();
            return failed;
        }
    }

    /** Text of one stream that waits to be published. */
    private final class Stream extends OutputStream {

        private final StreamType type;
        private final PrintStream print = new PrintStream(this, true, StandardCharsets.UTF_8);
        private volatile boolean closed;

        Stream(StreamType type) {
            this.type = type;
        }

        @Override
        public void write(int b) {
            write(new byte[] {(byte) b}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) {
            lock.lock();
            try {
                add(type, bytes, from, length);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private Stream out = new Stream(StreamType.OUT);
    private Stream err = new Stream(StreamType.ERR);
    private final PrintStream terminal;
    private final ReentrantLock lock = new ReentrantLock();
    private final Map<Thread, ByteArrayOutputStream> late = new HashMap<>();
    private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();
    private final ByteArrayOutputStream tail = new ByteArrayOutputStream();
    private StreamType kind = StreamType.OUT;
    private StreamType cutKind = StreamType.OUT;
    private BiConsumer<StreamType, String> page;
    private Thread publisher;
    private volatile boolean running;
    private long firstThread;
    private long shown;
    private long cutLines;
    private long cutBytes;

    CellOutput(PrintStream terminal) {
        this.terminal = terminal;
    }

    /** Makes these the standard streams, which a cell may have replaced or closed. */
    void use() {
        out = out.closed ? new Stream(StreamType.OUT) : out;
        err = err.closed ? new Stream(StreamType.ERR) : err;
        System.setOut(out.print);
        System.setErr(err.print);
    }

    /** A cell begins: from now on output is sent to it. */
    void begin(BiConsumer<StreamType, String> cell) {
        long next = Thread.ofPlatform().unstarted(() -> {}).threadId();
        lock.lock();
        try {
            flush();
            page = cell;
            running = true;
            firstThread = next;
            shown = 0;
            cutBytes = 0;
            cutLines = 0;
            tail.reset();
        } finally {
            lock.unlock();
        }
        use();
        if (publisher == null) {
            publisher = Thread.ofPlatform().daemon().name("output").start(this::publish);
        }
    }

    /** The cell ends: publishes what it has printed. */
    void end() {
        lock.lock();
        try {
            running = false;
            flush();
            if (cutBytes > 0) {
                var end = tail.toString(StandardCharsets.UTF_8);
                var line = end.substring(end.indexOf('\n') + 1);
                page.accept(
                        cutKind,
                        "… %,d lines (%,d kB) were cut here: a cell shows its first %,d kB and its last lines. Print less, or write to a file.%n…%n%s"
                                .formatted(cutLines - line.lines().count(), cutBytes / 1_000, MOST / 1_000, line));
                tail.reset();
                cutBytes = 0;
                cutLines = 0;
            }
        } finally {
            lock.unlock();
        }
    }

    /** The JVM ends: if a cell runs, it has caused that. */
    void lastWords() {
        if (running) {
            say(
                    "This cell has ended the kernel, perhaps by System.exit. On a page Jupyter starts it again, without its variables.\n");
            LockSupport.parkNanos(3 * BETWEEN_NANOS); // until it has reached the page
        }
    }

    /** Publishes a word of the kernel's own at once. */
    void say(String text) {
        lock.lock();
        try {
            flush();
            if (page != null) {
                page.accept(StreamType.ERR, text);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Publishes what waits. */
    void flush() {
        lock.lock();
        try {
            if (page != null && waiting.size() > 0) {
                var bytes = waiting.toByteArray();
                int whole = whole(bytes);
                waiting.reset();
                waiting.write(bytes, whole, bytes.length - whole);
                if (whole > 0) {
                    page.accept(kind, Overwritten.dropped(new String(bytes, 0, whole, StandardCharsets.UTF_8)));
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** The bytes that are whole characters: all but the beginning of a last one. */
    private static int whole(byte[] bytes) {
        int last = bytes.length - 1;
        while (last > bytes.length - 4 && last > 0 && (bytes[last] & 0xC0) == 0x80) {
            last--;
        }
        int first = last < 0 ? 0 : bytes[last] & 0xFF;
        int length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
        return last >= 0 && first >= 0xC0 && bytes.length - last < length ? last : bytes.length;
    }

    private void add(StreamType type, byte[] bytes, int from, int length) {
        if (page == null) { // no cell has run yet
            terminal.write(bytes, from, length);
            return;
        }
        var thread = Thread.currentThread();
        if (type == StreamType.ERR && thread instanceof CompilerThread compiler) {
            compiler.said.write(bytes, from, length);
            return;
        }
        if (running && (thread.threadId() >= firstThread || isOfTheKernel(thread))) {
            put(type, bytes, from, length);
            return;
        }
        var line = late.computeIfAbsent(thread, _ -> new ByteArrayOutputStream());
        line.write(bytes, from, length);
        if (line.size() > LONG || length > 0 && bytes[from + length - 1] == '\n') {
            var name = thread.getName().isEmpty() ? "thread " + thread.threadId() : thread.getName();
            var marked = line.toString(StandardCharsets.UTF_8)
                    .lines()
                    .map(one -> "[after its cell: " + name + "] " + one + "\n")
                    .reduce("", String::concat)
                    .getBytes(StandardCharsets.UTF_8);
            put(type, marked, 0, marked.length);
            late.remove(thread);
        }
    }

    /** Threads that were there before the cell and may print for it. */
    private static boolean isOfTheKernel(Thread thread) {
        return thread instanceof CellThread cells ? !cells.isLeft() : thread instanceof ForkJoinWorkerThread;
    }

    private void put(StreamType type, byte[] bytes, int from, int length) {
        if (shown >= MOST) {
            if (!running && cutBytes == 0 && page != null) {
                page.accept(type, "… What threads print from here on is not shown until the next cell runs.\n");
            }
            cutKind = type;
            cutBytes += length;
            for (int i = from; i < from + length; i++) {
                cutLines += bytes[i] == '\n' ? 1 : 0;
            }
            if (tail.size() > 2 * TAIL) {
                var kept = tail.toByteArray();
                tail.reset();
                tail.write(kept, kept.length - TAIL, TAIL);
            }
            int most = Math.min(length, TAIL);
            tail.write(bytes, from + length - most, most);
            return;
        }
        if (type != kind) {
            flush();
            kind = type;
        }
        shown += length;
        boolean first = waiting.size() == 0;
        waiting.write(bytes, from, length);
        if (first) {
            LockSupport.unpark(publisher);
        }
    }

    /** Whether what waits writes one line over again, which an executed notebook would keep each time. */
    private boolean isProgress() {
        lock.lock();
        try {
            var text = waiting.toString(StandardCharsets.ISO_8859_1);
            return text.startsWith("\r") && text.indexOf('\n') < 0;
        } finally {
            lock.unlock();
        }
    }

    private void publish() {
        while (true) {
            LockSupport.park(this); // until there is something to collect
            int rounds = 0;
            do {
                LockSupport.parkNanos(BETWEEN_NANOS);
            } while (rounds++ < PROGRESS && isProgress());
            try {
                flush();
            } catch (OutOfMemoryError e) {
                // the cell will have noticed; the next one needs this thread
            }
        }
    }
}
