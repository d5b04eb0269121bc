import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.lang.foreign.*;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SelectionKey;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.concurrent.*;
import java.util.stream.IntStream;

/** Records a dump of a situation that the judge has to tell from others: see record.py. */
public class Situations {
    static final int CALLERS = 6;

    static void pause() {
        try {
            Thread.sleep(60_000);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Threads that wait for work and hold a thread of a pool each; a cached pool that is as large as its work. */
    static class Idle {
        final BlockingQueue<String> orders = new LinkedBlockingQueue<>();

        void accept(ServerSocket door) {
            try {
                door.accept();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        void select() {
            try {
                var selector = Selector.open();
                var channel = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                channel.configureBlocking(false);
                channel.register(selector, SelectionKey.OP_ACCEPT);
                selector.select();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        void consume() {
            try {
                orders.take();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        void start() throws Exception {
            var door = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
            var acceptors = Executors.newFixedThreadPool(2, Thread.ofPlatform().name("acceptor-", 1).factory());
            for (int i = 0; i < 2; i++) acceptors.execute(() -> accept(door));
            Executors.newSingleThreadExecutor(Thread.ofPlatform().name("selector-", 1).factory()).execute(this::select);
            var consumers = Executors.newFixedThreadPool(3, Thread.ofPlatform().name("consumer-", 1).factory());
            for (int i = 0; i < 3; i++) consumers.execute(this::consume);
            var cached = Executors.newCachedThreadPool(Thread.ofPlatform().name("cached-", 1).factory());
            for (int i = 0; i < 4; i++) cached.execute(Situations::pause);
        }
    }

    /** Prints one after the other. */
    static class Printer {
        final ExecutorService printer = Executors.newSingleThreadExecutor();
        final ExecutorService couriers = Executors.newFixedThreadPool(2);

        void print(int page) {
            pause();
        }

        void order(int page) throws Exception {
            printer.submit(() -> print(page)).get();
        }

        /** A pool of its own, of which every thread is busy for somebody who waits: nobody waits for a thread. */
        void deliver(int page) throws Exception {
            couriers.submit(() -> pause()).get();
        }

        void start() {
            for (int i = 0; i < CALLERS; i++) {
                int page = i;
                Thread.ofVirtual().start(() -> { try { order(page); } catch (Exception e) { } });
            }
            for (int i = 0; i < 2; i++) {
                int page = i;
                Thread.ofVirtual().start(() -> { try { deliver(page); } catch (Exception e) { } });
            }
        }
    }

    /** Asks its suppliers in a parallel stream. */
    static class Suppliers {
        static int ask(int supplier) {
            pause();
            return supplier;
        }

        static int cheapest() {
            return IntStream.range(0, 4).parallel().map(Suppliers::ask).min().orElseThrow();
        }

        void start() {
            for (int i = 0; i < CALLERS; i++) Thread.ofVirtual().start(Suppliers::cheapest);
        }
    }

    static final CountDownLatch both = new CountDownLatch(2);

    static void meet() {
        both.countDown();
        try {
            both.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static class Prices {
        static int of = 1;
        static { meet(); of = Taxes.of; }
    }

    static class Taxes {
        static int of = 2;
        static { meet(); of = Prices.of; }
    }

    /** Two class initializers want each other's class: they keep both carriers, and a third thread wants one. */
    static class Initializers {
        static int prices() {
            return Prices.of;
        }

        static int taxes() {
            return Taxes.of;
        }

        void start() {
            Thread.ofVirtual().name("prices").start(Initializers::prices);
            Thread.ofVirtual().name("taxes").start(Initializers::taxes);
            for (int i = 0; i < CALLERS; i++) Thread.ofVirtual().start(() -> System.out.println("never"));
        }
    }

    /** C code that waits, called by virtual threads. */
    static class Native {
        static void wait(int seconds) {
            try {
                var linker = Linker.nativeLinker();
                var sleep = linker.downcallHandle(
                        linker.defaultLookup().findOrThrow("sleep"), FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
                int left = (int) sleep.invokeExact(seconds);
            } catch (Throwable e) {
                throw new IllegalStateException(e);
            }
        }

        void start() {
            for (int i = 0; i < 2; i++) Thread.ofVirtual().start(() -> wait(60));
        }
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "idle" -> new Idle().start();
            case "single" -> new Printer().start();
            case "common" -> new Suppliers().start();
            case "initializers" -> new Initializers().start();
            case "native" -> new Native().start();
            case "full", "roomy" -> new Exports(args[0].equals("full")).start();
            default -> throw new IllegalArgumentException(args[0]);
        }
        Thread.sleep(1_500);
        var file = Path.of(args[1]).toAbsolutePath();
        Files.deleteIfExists(file);
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class).dumpThreads(file.toString(), ThreadDumpFormat.JSON);
        Runtime.getRuntime().halt(0);
    }

    /** Ten threads hand orders over to one slow writer; the roomy queue takes them all. */
    static class Exports {
        final BlockingQueue<String> orders;

        Exports(boolean full) {
            orders = full ? new ArrayBlockingQueue<>(5) : new LinkedBlockingQueue<>();
        }

        void read() {
            try {
                for (int i = 0; i < 100; i++) orders.put("order");
                Thread.sleep(60_000);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        void write() {
            try {
                while (true) store(orders.take());
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        void store(String order) {
            pause();
        }

        void start() {
            for (int i = 0; i < 10; i++) Thread.ofPlatform().name("reads-" + i).start(this::read);
            Thread.ofPlatform().name("writes").start(this::write);
        }
    }
}
