import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Threads that wait for each other, and healthy programs that look alike; record.py dumps each several times. A line that
 * a thread of a circle waits on ends with its name: of synchronized the line after it, as the JVM shows it.
 */
public class Circles {
    interface Work {
        void run() throws Exception;
    }

    static Runnable quietly(Work work) {
        return () -> {
            try {
                work.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        };
    }

    static Thread virtual(String name, Work work) {
        return Thread.ofVirtual().name(name).start(quietly(work));
    }

    static Thread platform(String name, Work work) {
        return Thread.ofPlatform().daemon().name(name).start(quietly(work));
    }

    /** Both have what they hold before either asks for more. */
    static void meet(CountDownLatch all) throws InterruptedException {
        all.countDown();
        all.await();
    }

    static void pause(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static class Monitors {
        final Object stock = new Object();
        final Object till = new Object();
        final CountDownLatch both = new CountDownLatch(2);

        void sell() throws Exception {
            synchronized (stock) {
                meet(both);
                synchronized (till) {
                    pause(1); // monitors, monitors-mixed
                }
            }
        }

        void refund() throws Exception {
            synchronized (till) {
                meet(both);
                synchronized (stock) {
                    pause(1); // monitors, monitors-mixed
                }
            }
        }
    }

    /** The same line for all: each takes its own monitor and then that of the next. */
    static class Ring {
        final Object[] seats = {new Object(), new Object(), new Object()};
        final CountDownLatch all = new CountDownLatch(3);

        void turn(int at) throws Exception {
            synchronized (seats[at]) {
                meet(all);
                synchronized (seats[(at + 1) % 3]) {
                    pause(1); // monitors-ring
                }
            }
        }
    }

    static class Bank {
        final CountDownLatch both = new CountDownLatch(2);

        void transfer(Lock from, Lock to) throws Exception {
            from.lock();
            try {
                meet(both);
                to.lock(); // locks, locks-platform, locks-crowd
                to.unlock();
            } finally {
                from.unlock();
            }
        }
    }

    static class Philosophers {
        final List<ReentrantLock> forks = IntStream.range(0, 5).mapToObj(n -> new ReentrantLock()).toList();
        final CountDownLatch all = new CountDownLatch(5);

        void dine(int seat) throws Exception {
            forks.get(seat).lock();
            meet(all);
            forks.get((seat + 1) % 5).lock(); // philosophers
        }
    }

    static class Orders {
        final ReentrantLock lock = new ReentrantLock();

        void place(Stores stores) throws Exception {
            lock.lock();
            meet(stores.both);
            stores.reserve();
        }

        void note() {
            lock.lock(); // two-services
        }
    }

    static class Stores {
        final ReentrantLock lock = new ReentrantLock();
        final CountDownLatch both = new CountDownLatch(2);

        void reserve() {
            lock.lock(); // two-services
        }

        void refill(Orders orders) throws Exception {
            lock.lock();
            meet(both);
            orders.note();
        }
    }

    static class Mixed {
        final ReentrantLock lock = new ReentrantLock();
        final Object monitor = new Object();
        final CountDownLatch both = new CountDownLatch(2);

        void fromLock() throws Exception {
            lock.lock();
            meet(both);
            synchronized (monitor) {
                pause(1); // lock-and-monitor
            }
        }

        void fromMonitor() throws Exception {
            synchronized (monitor) {
                meet(both);
                lock.lock(); // lock-and-monitor
            }
        }
    }

    static class Cache {
        final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        final CountDownLatch all;

        Cache(int readers) {
            all = new CountDownLatch(readers);
        }

        void get() throws Exception {
            lock.readLock().lock();
            meet(all);
            fill();
        }

        void fill() {
            lock.writeLock().lock(); // upgrade, upgrade-alone
        }
    }

    static class Stamps {
        final StampedLock lock = new StampedLock();
        final CountDownLatch both = new CountDownLatch(2);

        void look() throws Exception {
            lock.readLock();
            meet(both);
            lock.writeLock(); // stamps
        }
    }

    static final CountDownLatch initializing = new CountDownLatch(2);

    static class Prices {
        static int of = 1;

        static {
            quietly(() -> meet(initializing)).run();
            of = Taxes.of; // initializers, initializers-platform
        }
    }

    static class Taxes {
        static int of = 2;

        static {
            quietly(() -> meet(initializing)).run();
            of = Prices.of; // initializers, initializers-platform
        }
    }

    static class Settings {
        static final Object file = new Object();
        static final CountDownLatch both = new CountDownLatch(2);

        static int read() throws Exception {
            synchronized (file) {
                meet(both);
                return Defaults.of; // initializer-and-lock
            }
        }
    }

    static class Defaults {
        static int of = 1;

        static {
            quietly(() -> meet(Settings.both)).run();
            synchronized (Settings.file) {
                of = 2; // initializer-and-lock
            }
        }
    }

    static class Rates {
        static final ExecutorService pool = Executors.newFixedThreadPool(2);
        static int base = 1;
        static int sum;

        static {
            try {
                sum = pool.submit(() -> Rates.base).get(); // initializer-and-task
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** By name: whoever watches other programs of this file needs no library. */
    static DataSource hikari(int places) throws Exception {
        var settings = new Properties();
        settings.setProperty("jdbcUrl", "jdbc:h2:mem:circles");
        settings.setProperty("poolName", "circles");
        settings.setProperty("maximumPoolSize", String.valueOf(places));
        var type = Class.forName("com.zaxxer.hikari.HikariConfig");
        var config = type.getConstructor(Properties.class).newInstance(settings);
        return (DataSource) Class.forName("com.zaxxer.hikari.HikariDataSource").getConstructor(type).newInstance(config);
    }

    static class Till {
        final DataSource pool;
        final CountDownLatch all = new CountDownLatch(2);

        Till(DataSource pool) {
            this.pool = pool;
        }

        void pay() throws Exception {
            var connection = pool.getConnection();
            meet(all);
            audit();
            connection.close();
        }

        void audit() throws Exception {
            pool.getConnection().close(); // connections, connections-alone
        }
    }

    static class Door {
        final Semaphore permits = new Semaphore(2);
        final CountDownLatch both = new CountDownLatch(2);

        void enter() throws Exception {
            permits.acquire();
            meet(both);
            again();
        }

        void again() throws Exception {
            permits.acquire(); // permits
        }
    }

    static class Gate {
        final Semaphore permit = new Semaphore(1);
        final ReentrantLock lock = new ReentrantLock();
        final CountDownLatch both = new CountDownLatch(2);

        void in() throws Exception {
            permit.acquire();
            meet(both);
            lock.lock(); // permit-and-lock
        }

        void out() throws Exception {
            lock.lock();
            meet(both);
            permit.acquire(); // permit-and-lock
        }
    }

    static class Reports {
        final ExecutorService pool = Executors.newFixedThreadPool(2);
        final CountDownLatch both = new CountDownLatch(2);

        int page(int n) {
            return n;
        }

        int report() throws Exception {
            meet(both);
            return pool.submit(() -> page(1)).get(); // executor
        }
    }

    static class Printer {
        final ExecutorService pool = Executors.newSingleThreadExecutor();

        synchronized void print() {
            pause(1); // executor-and-monitor
        }

        synchronized void order() throws Exception {
            pool.submit(() -> print()).get(); // executor-and-monitor
        }
    }

    static class Promises {
        final CompletableFuture<Integer> price = new CompletableFuture<>();
        final CompletableFuture<Integer> stock = new CompletableFuture<>();

        void price() {
            price.complete(stock.join()); // futures
        }

        void stock() {
            stock.complete(price.join()); // futures
        }
    }

    static class Relay {
        final ReentrantLock lock = new ReentrantLock();
        final ExecutorService tasks = Executors.newVirtualThreadPerTaskExecutor();

        int count() {
            lock.lock(); // future-and-lock
            return 1;
        }

        void total() throws Exception {
            lock.lock();
            tasks.submit(() -> count()).get(); // future-and-lock
        }
    }

    static class Joins {
        volatile Thread first;
        volatile Thread second;
        final CountDownLatch known = new CountDownLatch(1);

        void one() throws Exception {
            known.await();
            second.join(); // joins
        }

        void two() throws Exception {
            known.await();
            first.join(); // joins
        }
    }

    /** Healthy: the locks have an order, so that who waits is served. */
    static class Ordered {
        final List<Lock> locks = List.of(new ReentrantLock(), new ReentrantLock(), new ReentrantLock());

        void transfer(int from, int to) {
            locks.get(Math.min(from, to)).lock();
            try {
                pause(1 + from);
                locks.get(Math.max(from, to)).lock();
                try {
                    pause(2);
                } finally {
                    locks.get(Math.max(from, to)).unlock();
                }
            } finally {
                locks.get(Math.min(from, to)).unlock();
            }
        }
    }

    /** Healthy: readers come and go, a writer waits for them. */
    static class Readers {
        final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();

        void read() {
            lock.readLock().lock();
            pause(3);
            lock.readLock().unlock();
        }

        void write() {
            lock.writeLock().lock();
            pause(1);
            lock.writeLock().unlock();
        }
    }

    /** Healthy: short turns, so that often nobody is seen inside. */
    static class Turns {
        final Semaphore permits = new Semaphore(1);
        int turns;

        void turn() throws Exception {
            permits.acquire();
            turns++;
            permits.release();
        }
    }

    /** Healthy: locks in order, held so briefly that a dump often misses who has one. */
    static class Brief {
        final List<Lock> locks = List.of(new ReentrantLock(), new ReentrantLock(), new ReentrantLock());
        int moved;

        void transfer(int from, int to) {
            locks.get(Math.min(from, to)).lock();
            locks.get(Math.max(from, to)).lock();
            moved++;
            locks.get(Math.max(from, to)).unlock();
            locks.get(Math.min(from, to)).unlock();
        }
    }

    /** Healthy: a permit is back before the next one is wanted. */
    static class Phases {
        final Semaphore permits = new Semaphore(2);

        void serve() throws Exception {
            permits.acquire();
            permits.release();
            again();
        }

        void again() throws Exception {
            permits.acquire();
            permits.release();
        }
    }

    /** Healthy: requests wait for tasks of a full pool, and tasks for another pool. */
    static class Stages {
        final ExecutorService first = Executors.newFixedThreadPool(2);
        final ExecutorService second = Executors.newFixedThreadPool(2);

        int compute(int n) {
            pause(4);
            return n;
        }

        int stage(int n) throws Exception {
            return second.submit(() -> compute(n)).get();
        }

        void request(int n) throws Exception {
            first.submit(() -> stage(n)).get();
        }
    }

    /** Healthy: one connection for each request, and a second one only after the first is back. */
    static class Desk {
        final DataSource pool;

        Desk(DataSource pool) {
            this.pool = pool;
        }

        void serve() throws Exception {
            try (var connection = pool.getConnection()) {
                pause(3);
            }
            note();
        }

        void note() throws Exception {
            try (var connection = pool.getConnection()) {
                pause(1);
            }
        }
    }

    /** Healthy: tasks are handed on by futures. */
    static class Chain {
        void step(int n) {
            CompletableFuture.supplyAsync(() -> slow(n)).thenApply(value -> value + 1).join();
        }

        int slow(int n) {
            pause(3);
            return n;
        }
    }

    static void forever(int threads, IntConsumerOfWork work) {
        for (int i = 0; i < threads; i++) {
            int n = i;
            Work again = () -> {
                while (true) {
                    work.run(n);
                }
            };
            if (i % 3 == 0) {
                platform("worker-" + i, again);
            } else {
                virtual("", again);
            }
        }
    }

    interface IntConsumerOfWork {
        void run(int n) throws Exception;
    }

    static void start(String name) throws Exception {
        switch (name) {
            case "monitors" -> {
                var shop = new Monitors();
                virtual("sells", shop::sell);
                virtual("refunds", shop::refund);
            }
            case "monitors-mixed" -> {
                var shop = new Monitors();
                platform("sells", shop::sell);
                virtual("refunds", shop::refund);
            }
            case "monitors-ring" -> {
                var ring = new Ring();
                for (int i = 0; i < 3; i++) {
                    int at = i;
                    platform("seat-" + i, () -> ring.turn(at));
                }
            }
            case "locks", "locks-platform", "locks-crowd" -> {
                var bank = new Bank();
                var one = new ReentrantLock();
                var two = new ReentrantLock();
                if (name.equals("locks-platform")) {
                    platform("there", () -> bank.transfer(one, two));
                    platform("back", () -> bank.transfer(two, one));
                } else {
                    virtual("there", () -> bank.transfer(one, two));
                    virtual("back", () -> bank.transfer(two, one));
                }
                pause(200);
                for (int i = 0; i < 6 && name.equals("locks-crowd"); i++) {
                    var first = i % 2 == 0 ? one : two;
                    virtual("", () -> bank.transfer(first, new ReentrantLock()));
                }
            }
            case "philosophers" -> {
                var table = new Philosophers();
                for (int i = 0; i < 5; i++) {
                    int seat = i;
                    virtual("seat-" + i, () -> table.dine(seat));
                }
            }
            case "two-services" -> {
                var orders = new Orders();
                var stores = new Stores();
                virtual("places", () -> orders.place(stores));
                platform("refills", () -> stores.refill(orders));
            }
            case "lock-and-monitor" -> {
                var mixed = new Mixed();
                virtual("has-lock", mixed::fromLock);
                platform("has-monitor", mixed::fromMonitor);
            }
            case "upgrade" -> {
                var cache = new Cache(3);
                for (int i = 0; i < 3; i++) {
                    virtual("reader-" + i, cache::get);
                }
                pause(200);
                virtual("late", cache::get);
            }
            case "queued", "queued-healthy" -> {
                var registry = new Registry();
                virtual("fills", registry::fill);
                virtual("reads", () -> registry.all(name.endsWith("healthy")));
                pause(150);
                virtual("writes", registry::add);
                pause(500);
                virtual("late", registry::look);
            }
            case "aside", "aside-healthy" -> {
                var rooms = new Rooms();
                if (name.equals("aside-healthy")) {
                    virtual("closes", rooms::close);
                    pause(100);
                }
                virtual("cooks", rooms::cook);
                virtual("fetches", rooms::fetch);
                for (int i = 0; i < 4; i++) {
                    virtual("", rooms::rest);
                }
            }
            case "upgrade-alone" -> virtual("reader", new Cache(1)::get);
            case "stamps" -> {
                var stamps = new Stamps();
                virtual("one", stamps::look);
                virtual("two", stamps::look);
            }
            case "initializers" -> {
                virtual("prices", () -> System.out.println(Prices.of));
                virtual("taxes", () -> System.out.println(Taxes.of));
            }
            case "initializers-platform" -> {
                platform("prices", () -> System.out.println(Prices.of));
                virtual("taxes", () -> System.out.println(Taxes.of));
            }
            case "initializer-and-lock" -> {
                platform("reads", Settings::read);
                virtual("defaults", () -> System.out.println(Defaults.of));
            }
            case "initializer-and-task" -> virtual("rates", () -> System.out.println(Rates.sum));
            case "connections", "connections-alone" -> {
                var till = new Till(hikari(2));
                virtual("pays-1", till::pay);
                virtual("pays-2", till::pay);
                pause(1_000);
                if (name.equals("connections")) {
                    virtual("pays-3", till::pay);
                }
            }
            case "permits" -> {
                var door = new Door();
                virtual("guest-1", door::enter);
                virtual("guest-2", door::enter);
                pause(200);
                virtual("guest-3", door::enter);
            }
            case "permit-and-lock" -> {
                var gate = new Gate();
                virtual("in", gate::in);
                platform("out", gate::out);
            }
            case "executor" -> {
                var reports = new Reports();
                virtual("asks-1", () -> reports.pool.submit(reports::report).get());
                virtual("asks-2", () -> reports.pool.submit(reports::report).get());
            }
            case "executors", "executors-healthy" -> {
                var both = new Departments(name.equals("executors") ? 2 : 3);
                for (int i = 0; i < 2; i++) {
                    both.orders.submit(both::reserve);
                    both.stock.submit(both::price);
                }
            }
            case "calls" -> {
                var calls = new Calls();
                forever(6, n -> calls.call());
            }
            case "leak" -> {
                var exit = new Exit();
                forever(6, n -> exit.enter());
            }
            case "executor-and-monitor" -> virtual("orders", new Printer()::order);
            case "futures" -> {
                var promises = new Promises();
                virtual("price", promises::price);
                platform("stock", promises::stock);
            }
            case "future-and-lock" -> virtual("totals", new Relay()::total);
            case "joins" -> {
                var joins = new Joins();
                joins.first = virtual("first", joins::one);
                joins.second = platform("second", joins::two);
                joins.known.countDown();
            }
            case "ordered" -> {
                var bank = new Ordered();
                forever(7, n -> bank.transfer(n % 3, (n + 1) % 3));
            }
            case "readers" -> {
                var cache = new Readers();
                forever(5, n -> cache.read());
                forever(3, n -> cache.write());
            }
            case "turns" -> {
                var turns = new Turns();
                forever(8, n -> turns.turn());
            }
            case "brief" -> {
                var bank = new Brief();
                forever(9, n -> bank.transfer(n % 3, (n + 1) % 3));
            }
            case "phases" -> {
                var door = new Phases();
                forever(8, n -> door.serve());
            }
            case "stages" -> {
                var stages = new Stages();
                forever(6, stages::request);
            }
            case "desk" -> {
                var desk = new Desk(hikari(2));
                forever(6, n -> desk.serve());
            }
            case "chain" -> forever(5, new Chain()::step);
            default -> throw new IllegalArgumentException(name);
        }
    }

    static void dump(String file) throws Exception {
        Files.deleteIfExists(Path.of(file));
        // a dump of Java 25 may end a JVM whose virtual threads move (JDK-8364343): with Flight Recorder it is rarer
        new jdk.jfr.Recording().close();
        var bean = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
        bean.dumpThreads(file, ThreadDumpFormat.JSON);
    }

    /** The name of a circle, and the files of its dumps; without a file it waits to be watched, or to be ended. */
    public static void main(String[] args) throws Exception {
        start(args[0]);
        Thread.sleep(1_500);
        System.out.println("ready");
        for (int i = 1; i < args.length; i++) {
            dump(args[i]);
            Thread.sleep(500);
        }
        if (args.length == 1) {
            System.in.read();
        }
        Runtime.getRuntime().halt(0);
    }

    /** A reader behind a writer, who waits for a reader, who waits for what the first one holds. */
    static class Registry {
        final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
        final Object entry = new Object();
        final CountDownLatch both = new CountDownLatch(2);

        void all(boolean healthy) throws Exception {
            lock.readLock().lock();
            meet(both);
            make(healthy);
            lock.readLock().unlock();
        }

        void make(boolean healthy) {
            if (healthy) {
                pause(60_000);
            }
            synchronized (entry) {
                pause(1); // queued
            }
        }

        void fill() throws Exception {
            synchronized (entry) {
                meet(both);
                pause(300);
                look();
            }
        }

        void look() {
            lock.readLock().lock(); // queued
        }

        void add() {
            lock.writeLock().lock(); // queued
        }
    }

    /** Two locks, and threads of the same class that rest; in the healthy one a third thread has both. */
    static class Rooms {
        final ReentrantLock kitchen = new ReentrantLock();
        final ReentrantLock cellar = new ReentrantLock();
        final CountDownLatch both = new CountDownLatch(2);

        void cook() throws Exception {
            kitchen.lock();
            meet(both);
            cellar.lock(); // aside
        }

        void fetch() throws Exception {
            cellar.lock();
            meet(both);
            kitchen.lock(); // aside
        }

        void close() {
            kitchen.lock();
            cellar.lock();
            rest();
        }

        void rest() {
            pause(60_000);
        }
    }

    /** The tasks of two pools wait for tasks of the other one; the healthy pool has a thread more. */
    static class Departments {
        final ExecutorService orders = Executors.newFixedThreadPool(2, Thread.ofPlatform().name("orders-", 0).factory());
        final ExecutorService stock;
        final CountDownLatch all = new CountDownLatch(4);

        Departments(int threads) {
            stock = Executors.newFixedThreadPool(threads, Thread.ofPlatform().name("stock-", 0).factory());
        }

        int reserve() throws Exception {
            meet(all);
            return stock.submit(() -> slow(1)).get(); // executors
        }

        int price() throws Exception {
            meet(all);
            return orders.submit(() -> slow(2)).get(); // executors
        }

        int slow(int n) {
            pause(60_000);
            return n;
        }
    }

    /** Healthy: what was called gives the permit back, later. */
    static class Calls {
        final Semaphore permits = new Semaphore(2);
        final ScheduledExecutorService partner = Executors.newScheduledThreadPool(1);

        void call() throws Exception {
            permits.acquire();
            partner.schedule(() -> permits.release(), 5, TimeUnit.SECONDS);
        }
    }

    /** Whoever enters does not come out: the permits are lost.. */
    static class Exit {
        final Semaphore permits = new Semaphore(2);

        void enter() throws Exception {
            permits.acquire();
        }
    }
}
