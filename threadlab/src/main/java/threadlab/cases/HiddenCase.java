package threadlab.cases;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import threadlab.claim.Check;
import threadlab.server.LocalPostgres;
import threadlab.support.Numbers;

/**
 * A shop with one hidden {@link Fault}: a Spring service in a JVM of its own (the program {@code Shop.java}), a
 * PostgreSQL server, and the services that it calls. A seed chooses the fault; its cost is drawn at random for each
 * case, so it must be measured.
 *
 * <pre>{@code
 * var shop = HiddenCase.seed(7).start();
 * Load.on(shop.url()).rate(shop.rate()).during(time).run()
 * Jvm.attach(shop.pid()).dump()
 * shop.check(Fault.HOT_LOCK, "Shop.java:250", 41, Repair.method("""…"""))
 * }</pre>
 *
 * <p>Only one case runs at a time: a start closes the one before.
 */
public final class HiddenCase implements AutoCloseable {

    private static final int ITEMS = 16;
    /** The time from the first orders until the limit is reached. */
    private static final Duration RUSH = Duration.ofSeconds(2);

    private static final Duration FIRST_ORDER = Duration.ofSeconds(60);
    /** The case that runs; static, because it outlives its variable, as a server does. */
    private static HiddenCase running;

    /** One for all cases, because its start takes seconds. */
    private static LocalPostgres database;

    private final int seed;
    private final FaultyShop draw;
    private Neighbours neighbours;
    private Shelf shelf;
    private ShopJvm shop;
    private boolean faulty;

    /** From the last load on the shop with its fault: orders per second, and CPU time of an order in ms. */
    private double perSecond = Double.NaN;

    private double cpuMs = Double.NaN;

    private HiddenCase(int seed, Fault fault, Random random) {
        this.seed = seed;
        draw = new FaultyShop(fault, random);
    }

    /** A case with a fault, whose figures the seed draws. */
    static HiddenCase of(Fault fault, long seed) {
        return new HiddenCase(0, fault, new Random(seed));
    }

    /**
     * {@return a case that is not started}
     *
     * @param seed any number; the same number always means the same fault, but not the same figures
     */
    public static HiddenCase seed(int seed) {
        return new HiddenCase(seed, Cases.fault(seed), new Random());
    }

    /**
     * Starts the shop with its database and its neighbours. Any case that is still running is closed first.
     *
     * @param repairs the changes to the shop; none for the shop with its fault
     * @return this case
     * @throws IllegalArgumentException if a repair does not fit or does not compile, with the reason
     * @throws IllegalStateException if the shop does not start
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
        ShopData.fill(database, draw, shelf.files());
        var settings = new HashMap<>(ShopJvm.settings(draw, database.url(), neighbours.url()));
        var source = ShopJvm.source();
        for (var repair : repairs) {
            settings.putAll(repair.settings());
            if (!repair.members().isBlank()) {
                source = new Source(source).with(repair.members());
            }
        }
        shop = new ShopJvm(source, settings);
        faulty = repairs.isEmpty();
    }

    /** Remembers what the neighbours observed of the shop with its fault. */
    private void observe() {
        if (faulty && shop.isAlive() && neighbours.paid() > 0) {
            perSecond = neighbours.perSecond();
            cpuMs = 1_000 * shop.cpuSeconds() / neighbours.paid();
        }
    }

    /** {@return the rate at which orders arrive, per second} */
    public int rate() {
        return draw.ordersPerSecond;
    }

    /**
     * {@return the URL, on this machine's loopback interface, to which customers send their orders}
     *
     * @throws IllegalStateException if it does not run
     */
    public String url() {
        if (shop == null || !shop.isAlive()) {
            throw new IllegalStateException("the shop of this case is not running: start it with start()");
        }
        return shop.url() + "/order";
    }

    /**
     * {@return the number of the shop's process, which is a JVM}
     *
     * @throws IllegalStateException if it does not run
     */
    public long pid() {
        url();
        return shop.pid();
    }

    /**
     * Waits for the first order, up to a minute, and then for two seconds more; by then the limit is reached.
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
                throw new IllegalStateException(
                        "no order arrived for a minute: run a load on the shop at the same time");
            }
            Thread.sleep(Duration.ofMillis(20));
        } while (neighbours.asked() == before);
        Thread.sleep(RUSH);
    }

    /**
     * Judges a diagnosis. The evidence is judged first; it must come from this run. Then the repaired shop is started,
     * gets the same load, and must serve it: nine of ten orders, and 95 of 100 of these within a second. (If more
     * arrive than can be served, it must serve at least 70 % of what can be served.) It gets up to three trials, since
     * other programs may keep the machine busy during one.
     *
     * @param answer the diagnosis
     * @return the check
     * @throws InterruptedException if the cell is interrupted; nothing is left running then
     */
    public Check check(Diagnosis answer) throws InterruptedException {
        if (Double.isNaN(answer.figure())) {
            return new Check(
                    Check.State.OPEN,
                    "not answered yet: start the case, examine it, fill in the cell above, then run that cell and this one.");
        }
        if (neighbours == null) {
            return wrong(
                    "This case has not run in this kernel, and its figures are new each time: start it with start(), then measure.");
        }
        if (faulty && !shop.isAlive()) {
            return wrong(
                    "The shop has ended, so no answer can be checked: start it again with start(), then examine it again.");
        }
        observe();
        if (!draw.fits(answer, perSecond, cpuMs)) {
            var cause = answer.cause();
            var figure = Numbers.rounded(answer.figure(), 3);
            return wrong(
                    "The cause or its figure does not fit this shop (%s; %s %s). "
                                    .formatted(cause, figure, cause.figure)
                            + "Which limit is met, and how many does it admit? That number ÷ X is the time for which each request holds its place.");
        }
        if (!at(answer.line())) {
            return wrong(
                    "It does not happen at %s. Take the line of Shop.java in the stack of the largest group, or in that of the threads that hold what the others wait for."
                            .formatted(answer.line()));
        }
        return repaired(answer.repair());
    }

    /**
     * {@return the check of a diagnosis that is made during the call: the notebook's solutions measure only when they
     * are checked}
     *
     * @param diagnosis examines this case
     * @throws Exception what the diagnosis throws
     */
    public Check check(Callable<Diagnosis> diagnosis) throws Exception {
        return check(diagnosis.call());
    }

    private static Check wrong(String text) {
        return new Check(Check.State.WRONG, text);
    }

    /** Whether a figure is that of this shop's fault in the load that has ended. */
    boolean fits(Diagnosis answer) {
        observe();
        return draw.fits(answer, perSecond, cpuMs);
    }

    /** Ends the case that runs, and the database. */
    static void endAll() {
        synchronized (HiddenCase.class) {
            if (running != null) {
                running.close();
            }
        }
    }

    boolean at(String line) {
        var number = line.replaceFirst("^.*:", "").replaceAll("\\D.*$", "");
        var source = new Source(ShopJvm.source());
        return !number.isEmpty()
                && draw.fault.methods.stream().anyMatch(method -> source.within(Integer.parseInt(number) - 1, method));
    }

    private Check repaired(Repair repair) throws InterruptedException {
        try {
            start(repair);
        } catch (IllegalArgumentException | IllegalStateException e) {
            return wrong("The evidence is right, but the repaired shop did not start: " + e.getMessage());
        }
        try {
            return RepairTrial.of(url(), draw);
        } finally {
            close();
        }
    }

    /** Ends the shop, its neighbours and the database. A second call does nothing. */
    @Override
    public void close() {
        synchronized (HiddenCase.class) {
            end();
            if (running == this) {
                running = null;
                // only here: while another case is running, it uses the database
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

    /** The complaint, or that the shop does not run. */
    @Override
    public String toString() {
        return shop != null && shop.isAlive()
                ? "Case %d runs in process %d. %d customers order every second. They say: \"%s\""
                        .formatted(seed, shop.pid(), rate(), draw.complaint())
                : "Case %d is not running.".formatted(seed);
    }
}
