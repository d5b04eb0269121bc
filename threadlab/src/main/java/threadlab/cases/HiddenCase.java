package threadlab.cases;

import com.google.gson.Gson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import threadlab.child.ChildJvm;
import threadlab.child.ExitReason;
import threadlab.child.JvmOptions;
import threadlab.child.ProcessCpu;
import threadlab.child.Program;
import threadlab.child.RunningChild;
import threadlab.claim.Check;
import threadlab.load.Load;
import threadlab.measure.Numbers;
import threadlab.measure.Results;
import threadlab.server.LocalPostgres;

/**
 * A shop with one hidden {@link Fault}: a Spring service in a JVM of its own (the program {@code Shop.java}), a PostgreSQL,
 * and the services that it asks. A seed chooses the fault; what it costs is drawn anew for each case, so it must be
 * measured.
 *
 * <pre>{@code
 * var shop = HiddenCase.seed(7).start();
 * Load.on(shop.url()).rate(shop.rate()).during(time).run()
 * Jvm.attach(shop.pid()).dump()
 * shop.check(Fault.HOT_LOCK, "Shop.java:250", 41, Repair.method("""…"""))
 * }</pre>
 *
 * <p>Of all cases one runs at a time: a start closes what ran before.
 */
public final class HiddenCase implements AutoCloseable {

    /** Of a repaired shop: 95 of 100 orders are served within this time. */
    private static final int TARGET_MS = 1_000;

    private static final double ENOUGH = 0.9;
    private static final double ENOUGH_OF_CAPACITY = 0.7;

    private static final long SALT = 31_453_426_000L;
    private static final int ITEMS = 16;
    private static final String PROGRAM = "Shop.java";
    private static final Duration TRIAL = Duration.ofSeconds(4);

    /** Others may keep the machine busy during one. */
    private static final int TRIALS = 3;

    /** From the first orders until a limit is met. */
    private static final Duration RUSH = Duration.ofSeconds(2);

    private static final Duration FIRST_ORDER = Duration.ofSeconds(60);
    private static final Duration START = Duration.ofSeconds(90);
    private static final String PORT = "port ";

    /** What runs; it is static because it outlives the variable that held it, as a server does. */
    private static HiddenCase running;

    /** One for all cases: to start it takes seconds. */
    private static LocalPostgres database;

    private final int seed;
    private final Scenario draw;
    private Neighbours neighbours;
    private Shelf shelf;
    private RunningChild shop;
    private int port;
    private double cpuBefore;
    private boolean faulty;

    /** Of the last load on the shop with its fault: orders per second, and CPU time of an order in ms. */
    private double perSecond = Double.NaN;

    private double cpuMs = Double.NaN;

    private HiddenCase(int seed) {
        this.seed = seed;
        draw = new Scenario(fault(seed), new Random());
    }

    HiddenCase(Fault fault) {
        seed = 0;
        draw = new Scenario(fault, new Random());
    }

    /** Mixed so that the seeds 1 to 10 are all faults; a fault that this system cannot show is replaced. */
    static Fault fault(int seed) {
        var faults = Fault.values();
        var fault = faults[new SplittableRandom(SALT + seed).nextInt(faults.length)];
        return fault == Fault.SLOW_FILES && !Shelf.canBeSlow() ? Fault.NATIVE_FRAME : fault;
    }

    /**
     * A case, not started.
     *
     * @param seed any number; the same number always means the same fault, but not the same figures
     * @return the case
     */
    public static HiddenCase seed(int seed) {
        return new HiddenCase(seed);
    }

    /**
     * Starts the shop with its database and its neighbours. What ran of any case is closed first.
     *
     * @param repairs what is changed of it; nothing for the shop with its fault
     * @return this case
     * @throws IllegalArgumentException if a repair does not fit or does not compile, with the reason
     * @throws IllegalStateException if it does not start
     * @throws InterruptedException if the cell is interrupted; nothing is left running then
     */
    public HiddenCase start(Repair... repairs) throws InterruptedException {
        synchronized (HiddenCase.class) {
            if (running != null) {
                running.end();
            }
            running = this;
            try {
                begin(List.of(repairs));
                return this;
            } catch (RuntimeException | InterruptedException e) {
                close();
                throw e;
            }
        }
    }

    private void begin(List<Repair> repairs) throws InterruptedException {
        if (database == null || !database.isRunning()) {
            database = LocalPostgres.start("hidden", 12);
        }
        if (!database.isRunning()) {
            throw new IllegalStateException(database.toString());
        }
        neighbours = new Neighbours(draw);
        shelf = new Shelf(ITEMS, draw.fileMs);
        fill(database);
        var settings = new HashMap<>(Map.<String, Object>of(
                "server.address",
                "127.0.0.1",
                "server.port",
                0,
                "server.tomcat.max-connections",
                20_000,
                "spring.threads.virtual.enabled",
                true,
                "spring.datasource.url",
                database.url(),
                "spring.datasource.hikari.maximum-pool-size",
                draw.connections,
                "spring.datasource.hikari.connection-timeout",
                draw.connectionTimeOutMs,
                "spring.datasource.hikari.register-mbeans",
                true,
                "shop.neighbours",
                neighbours.url(),
                "shop.door",
                draw.door));
        var source = Program.of(PROGRAM).source();
        boolean edited = false;
        for (var repair : repairs) {
            settings.putAll(repair.settings());
            if (!repair.members().isBlank()) {
                source = new Source(source).with(repair.members());
                edited = true;
            }
        }
        launch(edited ? source : null, settings);
        faulty = repairs.isEmpty();
    }

    private void launch(String edited, Map<String, Object> settings) throws InterruptedException {
        var ready = new CompletableFuture<Integer>();
        try {
            var folder = edited == null ? null : Files.createTempDirectory("threadlab-shop-");
            try {
                var program = edited == null
                        ? Program.of(PROGRAM)
                        : Program.of(Files.writeString(folder.resolve(PROGRAM), edited)
                                .toString());
                shop = ChildJvm.of(program)
                        .environment("SPRING_APPLICATION_JSON", new Gson().toJson(settings))
                        .options(JvmOptions.smallServer())
                        .timeOut(Duration.ofHours(12))
                        .onLine(line -> {
                            if (line.startsWith(PORT)) {
                                ready.complete(Integer.parseInt(line.substring(PORT.length())));
                            }
                        })
                        .start();
            } finally {
                if (folder != null) {
                    Files.deleteIfExists(folder.resolve(PROGRAM));
                    Files.delete(folder);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the edited shop could not be written", e);
        }
        var child = shop;
        Thread.ofPlatform().daemon().name("output of the shop").start(() -> {
            try {
                var ended = child.await();
                if (!ready.completeExceptionally(new IllegalStateException(
                                "the shop did not start: " + ended.explanation() + "\n" + ended.output()))
                        && ended.reason() != ExitReason.CLOSED) {
                    System.out.println("The shop has ended: %s Start it again with start(), and examine it anew."
                            .formatted(ended.explanation()));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        try {
            port = ready.get(START.toSeconds(), TimeUnit.SECONDS);
            cpuBefore = ProcessCpu.seconds(shop.pid());
        } catch (ExecutionException e) {
            throw (IllegalStateException) e.getCause();
        } catch (TimeoutException e) {
            throw new IllegalStateException("the shop did not start within " + START.toSeconds() + " s");
        }
    }

    private void fill(LocalPostgres db) {
        try (var connection = db.connect();
                var sql = connection.createStatement()) {
            sql.execute("""
                    drop schema public cascade;
                    create schema public;
                    create table items (id int, name text, text text, shelf int, watched boolean, courier boolean);
                    create table suppliers (id int);
                    create table settings (name text, value int);
                    create table orders (id serial, item int, price int);
                    create table notes (id serial, item int);""");
            for (int i = 0; i < ITEMS; i++) {
                sql.execute("insert into items values (%d, 'tea %d', '%s', %d, %b, %b)"
                        .formatted(i, i, shelf.files().get(i), i % draw.shelves, draw.watched, draw.courier));
            }
            for (int i = 1; i <= draw.suppliers; i++) {
                sql.execute("insert into suppliers values (%d)".formatted(i));
            }
            setting(sql, "patience in ms", draw.patienceMs);
            setting(sql, "rounds of a seal", rounds(draw.sealMs));
            setting(sql, "strokes of a page", rounds(draw.pageMs));
            if (draw.databaseMs > 0) {
                // a disk that writes one row after the other
                sql.execute("""
                        create function slow() returns trigger as $$ begin
                            perform pg_advisory_lock(1); perform pg_sleep(%s); perform pg_advisory_unlock(1);
                            return new; end $$ language plpgsql;
                        create trigger slow before insert on orders for each row execute function slow();""".formatted(draw.databaseMs / 1_000.0));
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the database of the shop could not be filled: " + e.getMessage(), e);
        }
    }

    private static void setting(Statement sql, String name, int value) throws SQLException {
        sql.execute("insert into settings values ('%s', %d)".formatted(name, value));
    }

    private static int rounds(int ms) {
        return ms == 0 ? 1_000 : (int) (ms * roundsPerMs());
    }

    /** The shop's loop here: how fast a CPU of this machine computes, whatever else it does meanwhile. */
    private static double roundsPerMs() {
        var cpu = ManagementFactory.getThreadMXBean();
        long seal = 1;
        int rounds = 20_000_000;
        long start = 0;
        for (int i = -rounds; i < rounds; i++) {
            if (i == 0) {
                start = cpu.getCurrentThreadCpuTime();
            }
            seal ^= seal << 13;
            seal ^= seal >>> 7;
            seal ^= seal << 17;
        }
        double ms = (cpu.getCurrentThreadCpuTime() - start) / 1e6;
        return seal == 0 ? 0 : rounds / ms;
    }

    /** Remembers what the neighbours have seen of the shop with its fault. */
    private void observe() {
        if (faulty && shop.isAlive() && neighbours.paid() > 0) {
            perSecond = neighbours.perSecond();
            cpuMs = 1_000 * (ProcessCpu.seconds(shop.pid()) - cpuBefore) / neighbours.paid();
        }
    }

    /**
     * What its customers say.
     *
     * @return a sentence without the cause
     */
    public String complaint() {
        return "%d customers order every second. They say: \"%s\"".formatted(rate(), words());
    }

    private String words() {
        return switch (draw.fault) {
            case null -> "All is well.";
            case UNBOUNDED_ADMISSION -> "Each order takes longer than the one before, until they fail.";
            case LOST_WAKE_UP -> "Nothing fails, but it takes so long.";
            case NESTED_TRANSACTION -> "It worked for a moment. Now nearly nobody gets anything.";
            default -> "Half of us are sent away, and the others wait for seconds.";
        };
    }

    /**
     * How many orders come.
     *
     * @return orders per second
     */
    public int rate() {
        return draw.ordersPerSecond;
    }

    /**
     * Where it listens.
     *
     * @return the address of an order
     * @throws IllegalStateException if it does not run
     */
    public String url() {
        if (shop == null || !shop.isAlive()) {
            throw new IllegalStateException("the shop of this case does not run: start() it");
        }
        return "http://127.0.0.1:" + port + "/order";
    }

    /**
     * The number of its process.
     *
     * @return the process id of its JVM
     * @throws IllegalStateException if it does not run
     */
    public long pid() {
        url();
        return shop.pid();
    }

    /**
     * Waits until customers have ordered for two seconds, however long the load takes to begin: then the limit is met.
     *
     * @throws IllegalStateException if it does not run, or no order comes within a minute
     * @throws InterruptedException if the cell is interrupted
     */
    public void awaitOrders() throws InterruptedException {
        int before = neighbours == null ? 0 : neighbours.asked();
        long start = System.nanoTime();
        do {
            url();
            if (System.nanoTime() - start > FIRST_ORDER.toNanos()) {
                throw new IllegalStateException("nobody has ordered for a minute: run a load on the shop meanwhile");
            }
            Thread.sleep(Duration.ofMillis(20));
        } while (neighbours.asked() == before);
        Thread.sleep(RUSH);
    }

    /**
     * Judges a diagnosis. The evidence is judged first; it must be of this run. Then the repaired shop is started, gets the
     * same load, and must serve it: nine of ten orders, and 95 of 100 of these within a second. (Where more come than can be
     * served, it must serve what can be.) It has three trials, for others may keep the machine busy during one.
     *
     * @param answer the diagnosis
     * @return the check
     * @throws InterruptedException if the cell is interrupted; nothing is left running then
     */
    public Check check(Answer answer) throws InterruptedException {
        if (Double.isNaN(answer.figure())) {
            return new Check(
                    Check.State.OPEN,
                    "not answered yet: start the case, examine it, then fill in the cell above, and run it and this one.");
        }
        if (neighbours == null) {
            return wrong(
                    "This case has not run in this kernel: start() it and measure, for its figures are new each time.");
        }
        if (faulty && !shop.isAlive()) {
            return wrong(
                    "The shop has ended, and nothing is known of it any more: start() it again, and examine it anew.");
        }
        if (!fits(answer.cause(), answer.figure())) {
            return wrong(
                    "The cause, or its figure, does not fit what this shop does (%s; %s %s). "
                                    .formatted(
                                            answer.cause(), Numbers.rounded(answer.figure(), 3), answer.cause().figure)
                            + "Which limit is met, and how many does it let in? That number ÷ X is the time for which each holds it.");
        }
        if (!at(answer.line())) {
            return wrong(
                    "%s is not where it happens. Take the line of Shop.java that the stack of the largest group shows, or that of those who hold what the others wait for."
                            .formatted(answer.line()));
        }
        return repaired(answer.repair());
    }

    /**
     * Judges a diagnosis that is made now: the solutions of the notebook measure when their check asks them to.
     *
     * @param diagnosis examines this case
     * @return the check
     * @throws Exception what the diagnosis throws
     */
    public Check check(Callable<Answer> diagnosis) throws Exception {
        return check(diagnosis.call());
    }

    private static Check wrong(String text) {
        return new Check(Check.State.WRONG, text);
    }

    private boolean fits(Fault cause, double figure) {
        if (cause != draw.fault) {
            return false;
        }
        observe();
        double measured =
                switch (cause) {
                    case CPU_WORK, PER_THREAD_CACHE -> cpuMs;
                    case UNBOUNDED_ADMISSION -> perSecond;
                    default -> draw.places == 0 ? draw.figure : 1_000 * draw.places / perSecond;
                };
        double drawn = Double.isNaN(draw.figure) ? measured : draw.figure;
        // where nothing was measured, the comparison with NaN refuses every figure
        return figure >= Math.min(drawn, measured) * (1 - cause.tolerance)
                && figure <= Math.max(drawn, measured) * (1 + cause.tolerance);
    }

    private boolean at(String line) {
        var number = line.replaceFirst("^.*:", "").replaceAll("\\D.*$", "");
        var source = new Source(Program.of(PROGRAM).source());
        return !number.isEmpty()
                && draw.fault.methods.stream().anyMatch(method -> source.within(Integer.parseInt(number) - 1, method));
    }

    private Check repaired(Repair repair) throws InterruptedException {
        try {
            start(repair);
        } catch (IllegalArgumentException | IllegalStateException e) {
            return wrong("The evidence is right. But the repaired shop does not start: " + e.getMessage());
        }
        try {
            var found = tried();
            for (int trial = 1; trial < TRIALS && found.state() != Check.State.RIGHT; trial++) {
                found = tried();
            }
            return found;
        } finally {
            close();
        }
    }

    /** Loads the repaired shop, and judges what it serves. */
    private Check tried() throws InterruptedException {
        var row = Load.on(url())
                .server("the repaired shop")
                .rate(rate())
                .warmUp(rate())
                .during(TRIAL)
                .run();
        double perSecond = Results.value(row, "requests/s");
        double served = perSecond * Results.value(row, "seconds") / Results.value(row, "requests");
        double ms = Results.value(row, "p95 (ms)");
        // a door that lets in what can be served must send the others away
        boolean enough = draw.fault == Fault.UNBOUNDED_ADMISSION
                ? perSecond >= ENOUGH_OF_CAPACITY * draw.figure
                : served >= ENOUGH;
        var text = "the repaired shop serves %.0f %% of the orders (%.1f a second), 95 of 100 of these within %,.0f ms"
                .formatted(100 * served, perSecond, ms);
        return enough && ms <= TARGET_MS
                ? new Check(Check.State.RIGHT, "The evidence is right, and " + text + ".")
                : wrong("The evidence is right. But " + text + ": that is not enough yet.");
    }

    /** Ends the shop, its neighbours and the database. A second call does nothing. */
    @Override
    public void close() {
        synchronized (HiddenCase.class) {
            end();
            if (running == this) {
                running = null;
                // another case may use it
                if (database != null) {
                    database.close();
                }
            }
        }
    }

    private void end() {
        if (shop != null) {
            observe();
            shop.close();
        }
        faulty = false;
        if (neighbours != null) {
            neighbours.close();
        }
        if (shelf != null) {
            shelf.close();
        }
    }

    /** The complaint, or that it does not run. */
    @Override
    public String toString() {
        return shop != null && shop.isAlive()
                ? "Case %d runs in process %d. %s".formatted(seed, shop.pid(), complaint())
                : "Case %d does not run.".formatted(seed);
    }
}
