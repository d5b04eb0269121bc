package threadlab.cases;

import java.util.random.RandomGenerator;

/**
 * The environment of a service, healthy except for one fault. The cost of the fault is drawn at random, so it must be
 * measured.
 */
final class FaultyShop {

    /** The parallelism of the shop's scheduler and of its common pool. */
    static final int CARRIERS = 2;

    static final int POOLED = 1;

    final Fault fault;

    /** The figure that the reader has to find, in the unit of the fault; NaN if only a run can show it. */
    double figure;

    int ordersPerSecond = 25;
    int door = 30;
    final int connections;

    /** How many requests the limit behind the fault allows at the same time; 0 if the fault is not such a limit. */
    int places;

    int suppliers = 2;
    int offerMs = 8;
    int rateMs = 5;
    int rateValidMs = 3_600_000;
    int shelves = 16;
    int bringMs = 6;
    int payMs = 15;

    /** Long enough for all: an order that fails after it has reached the limit would count there, but not as served. */
    int connectionTimeOutMs = 30_000;

    boolean watched;
    boolean courier;
    int patienceMs = 1_000;
    int databaseMs;
    int fileMs;
    int sealMs;
    int pageMs;

    FaultyShop(Fault fault, RandomGenerator random) {
        this.fault = fault;
        // a call that holds a connection takes longer if there are more, and the repaired shop must still be quick
        connections = random.nextInt(3, fault == Fault.CONNECTION_HELD ? 5 : 7);
        // the largest is three times the smallest, so a guess is not enough
        double drawn = Math.pow(3, random.nextDouble());

        switch (fault) {
            case SLOW_FILES -> {
                figure = fileMs = (int) (130 * drawn);
                places = CARRIERS;
            }
            case NATIVE_FRAME -> {
                figure = rateMs = (int) (130 * drawn);
                rateValidMs = 0;
                places = CARRIERS;
            }
            case HOT_LOCK -> {
                figure = bringMs = (int) (65 * drawn);
                shelves = 1;
                places = 1;
            }
            case CONNECTION_HELD -> {
                figure = payMs = (int) (connections * 65 * drawn);
                places = connections;
            }
            case NESTED_TRANSACTION -> {
                payMs = 25 * connections;
                watched = true;
                connectionTimeOutMs = 3_000;
                figure = connections;
            }
            case UNBOUNDED_ADMISSION -> {
                databaseMs = (int) (25 * drawn);
                figure = 1_000.0 / databaseMs;
                ordersPerSecond = 60;
                connectionTimeOutMs = 3_000;
                door = 100_000;
            }
            case CPU_WORK -> {
                sealMs = (int) (130 * drawn);
                figure = Double.NaN;
            }
            case PER_THREAD_CACHE -> {
                pageMs = (int) (130 * drawn);
                figure = Double.NaN;
            }
            case LOST_WAKE_UP -> {
                figure = patienceMs = (int) (900 * drawn);
                courier = true;
                door = 200;
            }
            case PARALLEL_STREAM -> {
                suppliers = 8;
                offerMs = (int) (18 * drawn);
                places = POOLED;
                figure = Double.NaN;
            }
        }
    }

    /** The customers' complaint: a symptom without its cause. */
    String complaint() {
        return switch (fault) {
            case UNBOUNDED_ADMISSION -> "Each order takes longer than the one before, until they fail.";
            case LOST_WAKE_UP -> "Nothing fails, but it takes so long.";
            case NESTED_TRANSACTION -> "It worked for a moment. Now hardly anyone gets anything.";
            default -> "Many of us are sent away, and the others wait for seconds.";
        };
    }

    /**
     * Whether the cause and the figure of an answer are right; the figure may be the drawn one or that of the run.
     *
     * @param perSecond orders per second of the run, or NaN
     * @param cpuMs CPU time of an order in ms, or NaN
     */
    boolean fits(Diagnosis answer, double perSecond, double cpuMs) {
        var cause = answer.cause();
        if (cause != fault) {
            return false;
        }
        double measured =
                switch (cause) {
                    case CPU_WORK, PER_THREAD_CACHE -> cpuMs;
                    case UNBOUNDED_ADMISSION -> perSecond;
                    default -> places == 0 ? figure : 1_000 * places / perSecond;
                };
        double drawn = Double.isNaN(figure) ? measured : figure;
        // if nothing was measured, the comparison with NaN rejects every figure
        return answer.figure() >= Math.min(drawn, measured) * (1 - cause.tolerance)
                && answer.figure() <= Math.max(drawn, measured) * (1 + cause.tolerance);
    }
}
