package threadlab.cases;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;
import threadlab.child.ChildJvm;
import threadlab.child.Parent;
import threadlab.child.RunningChild;
import threadlab.load.Load;
import threadlab.server.ChildServer;
import threadlab.server.LocalServer;

/** Services in which nobody has to wait for long, each in a JVM of its own: an instrument may accuse none. */
final class Healthy implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(30);

    /** What they are called, and what runs in each. */
    static final Map<String, String> ALL = Map.of(
            "idle", "Spring MVC on virtual threads, no request",
            "virtual", "Spring MVC on virtual threads, 40 requests a second that wait 20 ms",
            "platform", "Spring MVC on Tomcat's threads, the same load",
            "reactive", "WebFlux, the same load",
            "one CPU", "Spring MVC on virtual threads with one CPU, the same load",
            "garbage", "some 100 MB of garbage a second",
            "consumers", "pools whose threads take from empty queues, and a schedule",
            "acceptors", "threads that accept connections and select, and nobody connects",
            "brief locks", "virtual threads that take a lock and a permit for moments",
            "computes", "one thread that computes all the time");

    /** Answers after 20 ms: on its thread or, in WebFlux, without one. */
    @RestController
    static class Waits {
        @GetMapping("/")
        String get() throws InterruptedException {
            Thread.sleep(20);
            return "ok";
        }

        @GetMapping("/later")
        Mono<String> later() {
            return Mono.just("ok").delayElement(Duration.ofMillis(20));
        }
    }

    record Ready(String name) {}

    private final ChildServer server;
    private final RunningChild program;
    private final String path;
    final long pid;

    /** Starts one. */
    Healthy(String name) throws InterruptedException {
        path = name.equals("reactive") ? "/later" : "/";
        if (ALL.get(name).startsWith("Spring") || name.equals("reactive")) {
            var spring =
                    LocalServer.of(name, Waits.class).set("spring.threads.virtual.enabled", !name.equals("platform"));
            if (name.equals("reactive")) {
                spring.set("spring.main.web-application-type", "reactive");
            }
            server = name.equals("one CPU") ? spring.startChild("-XX:ActiveProcessorCount=1") : spring.startChild();
            program = null;
            pid = server.pid();
        } else {
            server = null;
            program = ChildJvm.of(Healthy.class)
                    .arguments(name)
                    .timeOut(Duration.ofHours(1))
                    .quiet()
                    .start();
            if (program.ready(Ready.class, START, ended -> {}) == null) {
                program.close();
                throw new IllegalStateException("the program \"" + name + "\" did not start: start it again");
            }
            pid = program.pid();
        }
    }

    /** Its load for some time; it only waits where there is none. */
    void load(Duration time) throws InterruptedException {
        if (server == null || server.toString().contains("idle")) {
            Thread.sleep(time);
        } else {
            Load.on(server.url(path)).rate(40).during(time).run();
        }
    }

    @Override
    public void close() {
        if (server != null) {
            server.close();
        } else {
            program.close();
        }
    }

    /**
     * The programs that need no server.
     *
     * @param arguments the name of one
     */
    public static void main(String[] arguments) throws Exception {
        switch (arguments[0]) {
            case "garbage" -> Thread.ofPlatform().daemon().name("allocates").start(Healthy::allocate);
            case "consumers" -> consume();
            case "acceptors" -> accept();
            case "brief locks" -> lock();
            case "computes" -> Thread.ofPlatform().daemon().name("computes").start(Healthy::compute);
            default ->
                throw new IllegalArgumentException(arguments[0] + " is no program: choose one of " + ALL.keySet());
        }
        Parent.answer(new Ready(arguments[0]));
        Thread.sleep(Duration.ofHours(1));
    }

    private static void pause(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void allocate() {
        var kept = new ArrayList<byte[]>();
        while (!Thread.currentThread().isInterrupted()) {
            for (int i = 0; i < 100; i++) {
                kept.add(new byte[10_000]);
            }
            if (kept.size() > 2_000) {
                kept.clear();
            }
            pause(10);
        }
    }

    private static void consume() {
        var orders = new LinkedBlockingQueue<String>();
        var consumers = Executors.newFixedThreadPool(
                3, Thread.ofPlatform().daemon().name("consumer-", 1).factory());
        for (int i = 0; i < 3; i++) {
            consumers.submit(orders::take);
        }
        var schedule = Executors.newScheduledThreadPool(
                1, Thread.ofPlatform().daemon().name("schedule-", 1).factory());
        schedule.scheduleAtFixedRate(() -> pause(5), 100, 100, TimeUnit.MILLISECONDS);
    }

    private static void accept() throws IOException {
        var door = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        var acceptors = Executors.newFixedThreadPool(
                2, Thread.ofPlatform().daemon().name("acceptor-", 1).factory());
        acceptors.submit(door::accept);
        acceptors.submit(door::accept);
        var selector = Selector.open();
        var channel = ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        channel.configureBlocking(false);
        channel.register(selector, SelectionKey.OP_ACCEPT);
        var selectors = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name("selector-", 1).factory());
        selectors.submit(() -> selector.select());
    }

    private static void lock() {
        var lock = new ReentrantLock();
        var permits = new Semaphore(2);
        for (int i = 0; i < 20; i++) {
            Thread.ofVirtual().start(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    lock.lock();
                    lock.unlock();
                    permits.acquireUninterruptibly();
                    permits.release();
                    pause(20);
                }
            });
        }
    }

    private static void compute() {
        long seal = 1;
        while (!Thread.currentThread().isInterrupted()) {
            seal ^= seal << 13;
            seal ^= seal >>> 7;
            seal ^= seal << 17;
        }
    }
}
