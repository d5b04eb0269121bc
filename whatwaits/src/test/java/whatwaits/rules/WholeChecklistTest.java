package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static whatwaits.rules.Written.LOCK;
import static whatwaits.rules.Written.PARK;
import static whatwaits.rules.Written.SEMAPHORE;
import static whatwaits.rules.Written.UNSAFE;
import static whatwaits.rules.Written.platform;
import static whatwaits.rules.Written.virtual;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import whatwaits.rules.Limit.Kind;

/** All lines of the checklist, in full, for a service in trouble and for one of which nothing is known. */
class WholeChecklistTest {

    private static String text(Observation seen, String version, List<Pin> pins, List<Defect> defects) {
        return Checklist.of(seen, version, pins, new long[] {300L << 20, 2_048L << 20}, defects).stream()
                .map(line -> line.answer() + ": " + line.seen())
                .collect(Collectors.joining("\n"));
    }

    private static List<Sample> sample(double mounted, double queued, double parallelism, double cpus) {
        return List.of(new Sample(0, 9, mounted, queued, parallelism, 2, cpus, Map.of(), Map.of()));
    }

    private static final String PAY = "shop.Till.pay(Till.java:4)";

    @Test
    void a_service_in_trouble() {
        var asks = "com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:1)";
        var proxy = "com.zaxxer.hikari.pool.ProxyConnection.prepareStatement(P.java:1)";
        var redis = "redis.clients.jedis.util.Pool.getResource(Pool.java:1)";
        var task = "java.base/java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1)";
        var due = "java.base/java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue.take(S.java:1)";
        var read = "java.base/sun.nio.ch.NioSocketImpl.implRead(NioSocketImpl.java:1)";
        var timed = "java.base/sun.nio.ch.NioSocketImpl.timedRead(NioSocketImpl.java:1)";
        var park = "java.base/sun.nio.ch.NioSocketImpl.park(NioSocketImpl.java:1)";
        var dump = Written.of(
                virtual(1, "WAITING", 0, PARK, LOCK, PAY),
                virtual(2, "WAITING", 0, PARK, LOCK, PAY),
                virtual(3, "WAITING", 0, PARK, SEMAPHORE, PAY),
                virtual(4, "WAITING", 0, PARK, asks, PAY),
                virtual(5, "WAITING", 0, PARK, redis, PAY),
                virtual(6, "WAITING", 0, PARK, LOCK, proxy, "shop.Shop.sell(Shop.java:9)"),
                virtual(7, "WAITING", 0, PARK, task),
                virtual(8, "WAITING", 0, PARK, due, task),
                virtual(9, "WAITING", 0, PARK, park, read, PAY),
                virtual(10, "WAITING", 0, PARK, park, timed, read, PAY),
                platform(11, "ForkJoinPool.commonPool-worker-1", "WAITING", UNSAFE, PAY),
                platform(12, "ForkJoinPool.commonPool-worker-2", "WAITING", UNSAFE),
                platform(13, "http-nio-8080-exec-1", "WAITING", UNSAFE, PAY));
        var pools = List.of(
                new PoolFigures(Kind.CONNECTIONS, "orders", 3, 10, 0),
                new PoolFigures(Kind.CONNECTIONS, "bills", 1, 5, 0));
        var requests = new Requests(100, 10, 0.25, "a test", List.of());
        var seen = new Observation(sample(1.5, 1, 1, 1.5), dump, pools, 2, 0.1, requests);
        var pin = new Pin(Pin.NOW, "one", "a file", null, null, Double.NaN, Threads.stack(PAY));
        var defects = List.of(new Defect("JDK-1", "21", "21.0.9"), new Defect("JDK-2", "21", ""));
        assertEquals("""
                change: Java 21
                change: Java 21.0.3: JDK-1 (repaired in 21.0.9), JDK-2
                change: 10 virtual threads, 1 platform thread of a request pool
                change: 1 thread, such as shop.Till.pay(Till.java:4)
                change: 1 queued, 1.5 of 1 carriers mounted, on average
                change: 2 CPUs, 1 carrier
                change: 150 of a request's 250 ms on a CPU, 1.5 of 2 CPUs busy
                change: 1 thread waits for a connection of 15 connections in 2 pools
                change: 2 virtual wait for a lock (ReentrantLock) at shop.Till.pay(Till.java:4)
                ok: 1 thread waits for a permit
                change: 1 idle virtual thread
                change: 1 thread of the common pool in the program
                open: heap: 300 of 2,048 MB in use
                change: 2 threads in a read from a socket, 1 with a time limit
                open: null""", text(seen, "21.0.3", List.of(pin, pin.once()), defects));
    }

    @Test
    void a_healthy_service_under_a_load() {
        var dump = Written.of(
                virtual(1, "WAITING", 0, PARK, SEMAPHORE, PAY), virtual(2, "WAITING", 0, PARK, SEMAPHORE, PAY));
        var requests = new Requests(100, 10, 0.25, "a test", List.of());
        var seen = new Observation(sample(0.5, 0.9, 2, 0.2), dump, List.of(), 2, 0.1, requests);
        assertEquals("""
                ok: Java 24
                open: Java 24: none listed
                ok: 2 virtual threads, 0 platform threads of a request pool
                open: none in two dumps
                ok: 0.9 queued, 0.5 of 2 carriers mounted, on average
                ok: 2 CPUs, 2 carriers
                ok: 20 of a request's 250 ms on a CPU, 0.2 of 2 CPUs busy
                open: 0 threads wait for a connection
                ok: no two threads wait for the same lock
                ok: 2 threads wait for a permit
                ok: 0 idle virtual threads
                open: null
                open: heap: 300 of 2,048 MB in use
                open: null
                open: null""", text(seen, "24", List.of(), List.of()));
    }

    @Test
    void what_cannot_be_seen_is_open() {
        double none = Double.NaN;
        var proxy = "com.zaxxer.hikari.pool.ProxyConnection.prepareStatement(P.java:1)";
        var dump = Written.of(
                platform(1, "main", "WAITING", UNSAFE, proxy, PAY), platform(2, "b", "WAITING", UNSAFE, proxy, PAY));
        var unknown = new PoolFigures(Kind.CONNECTIONS, "orders", none, none, none);
        var seen =
                new Observation(sample(none, none, none, 0.2), dump, List.of(unknown), 1, 0.1, Requests.unknown("no"));
        assertEquals("""
                change: Java 17
                open: Java 17: none listed
                open: 0 virtual threads, 0 platform threads of a request pool
                open: null
                open: null
                open: 1 CPU; carriers are not shown before Java 24
                open: 0.2 of 1 CPU busy, requests not counted
                open: 0 threads wait for a connection, 2 seen with one
                open: no two threads wait for the same lock
                open: null
                open: 0 idle virtual threads
                open: null
                open: heap: 300 of 2,048 MB in use
                open: null
                open: null""", text(seen, "17", List.of(), List.of()));
    }
}
