package threadlab.cases;

import java.util.List;
import java.util.stream.Stream;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

/** What can be wrong with a service on virtual threads. Each case has one of these faults. */
public enum Fault {
    /** File reads block the carriers, and no event shows it. */
    SLOW_FILES("a read of a file holds its carrier", "ms for which a request holds a carrier", 0.3, "Texts.read"),
    /** A virtual thread waits while a native frame is on its stack. */
    NATIVE_FRAME(
            "a wait below a native frame pins its carrier",
            "ms for which a request holds a carrier",
            0.3,
            "Offers.cheapest",
            "Offers.compare",
            "Offers.value",
            "Rates.of"),
    /** All requests want one lock. */
    HOT_LOCK("one lock for all requests", "ms for which a request holds the lock", 0.3, "Stock.reserve"),
    /** A connection of the pool is held while another service is called. */
    CONNECTION_HELD(
            "a connection is held around a remote call", "ms for which a request holds a connection", 0.3, "Till.pay"),
    /** A request that holds a connection waits for a second one. */
    NESTED_TRANSACTION(
            "a nested transaction: a request that holds a connection waits for a second one",
            "connections in the pool",
            0.01,
            "Till.pay",
            "Audit.note"),
    /** More orders arrive than the service can serve, and all are admitted. */
    UNBOUNDED_ADMISSION(
            "no admission control: more requests arrive than can be served, and all are admitted",
            "good answers per second, at most",
            0.3,
            "Orders.order",
            "Till.pay"),
    /** Requests compute for a long time. */
    CPU_WORK("computation holds the carriers", "ms of CPU time for a request", 0.3, "Seals.seal"),
    /** An object cached per thread is made again for each request, because each request has a new thread. */
    PER_THREAD_CACHE(
            "a per-thread cache is filled for every request, because each request has a new thread",
            "ms of CPU time for a request",
            0.3,
            "Receipts.page",
            "Receipts.drawn"),
    /** A thread waits for a signal that was sent before. */
    LOST_WAKE_UP(
            "a thread waits for a signal that was sent before it waited",
            "ms of waiting for nothing",
            0.3,
            "Couriers.handOver",
            "Couriers.taken"),
    /** Waits run one after the other in a parallel stream. */
    PARALLEL_STREAM(
            "a parallel stream blocks the few threads of the common pool",
            "ms for which a request keeps the pool's one thread busy",
            0.3,
            "Offers.all",
            "Offers.offer");

    private final String sentence;
    final String figure;
    final double tolerance;
    final List<String> methods;

    Fault(String sentence, String figure, double tolerance, String... methods) {
        this.sentence = sentence;
        this.figure = figure;
        this.tolerance = tolerance;
        this.methods = List.of(methods);
    }

    /** {@return the causes to choose from, as {@code cause} (the constant), {@code what it is}, {@code figure to hand in}} */
    public static Table table() {
        return Table.create(
                "causes",
                StringColumn.create("cause", Stream.of(values()).map(Fault::name)),
                StringColumn.create("what it is", Stream.of(values()).map(fault -> fault.sentence)),
                StringColumn.create("figure to hand in", Stream.of(values()).map(fault -> fault.figure)));
    }

    /** The fault in words. */
    @Override
    public String toString() {
        return sentence;
    }
}
