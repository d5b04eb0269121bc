package threadlab.cases;

import java.time.Duration;
import java.util.Scanner;
import java.util.concurrent.FutureTask;
import tech.tablesaw.api.Table;
import threadlab.load.Load;
import threadlab.measure.Machine;
import threadlab.measure.Results;

/** One of our own services under its load, for whoever looks at it from outside: {@code tools/notebooks/score.py}. */
final class UnderLoad {

    /** Long enough for two looks. */
    private static final Duration LOAD = Duration.ofSeconds(12);

    private UnderLoad() {}

    /**
     * Prints {@code pid} and the service's process once its limit is reached. A line with two numbers, the places of the
     * limit and how many are in use, is answered by whether the figure that follows is right. Ends with its input.
     *
     * @param arguments {@code shop} or {@code healthy}; the fault or the service; a seed; a file for the machine
     */
    public static void main(String[] arguments) throws Exception {
        Machine.here().table().write().csv(arguments[3]);
        if (arguments[0].equals("shop")) {
            shop(Fault.valueOf(arguments[1]), Long.parseLong(arguments[2]));
        } else {
            healthy(arguments[1]);
        }
        System.exit(0);
    }

    private static void shop(Fault fault, long seed) throws Exception {
        var shop = HiddenCase.of(fault, seed).start();
        var load =
                beside(() -> Load.on(shop.url()).rate(shop.rate()).during(LOAD).run());
        shop.awaitOrders();
        System.out.println("pid " + shop.pid());
        var asked = new Scanner(System.in);
        if (asked.hasNextDouble()) {
            double figure = figure(fault, asked.nextDouble(), asked.nextDouble(), load.get());
            System.out.println("right " + shop.fits(new Diagnosis(fault, "", figure, Repair.NONE)));
            asked.hasNext();
        }
        HiddenCase.endAll();
    }

    private static void healthy(String name) throws Exception {
        try (var service = new Healthy(name)) {
            service.load(Duration.ofSeconds(3));
            beside(() -> {
                service.load(LOAD);
                return null;
            });
            System.out.println("pid " + service.pid);
            new Scanner(System.in).hasNext();
        }
    }

    private interface Work {
        Table run() throws Exception;
    }

    private static FutureTask<Table> beside(Work work) {
        var task = new FutureTask<>(work::run);
        Thread.ofPlatform().daemon().name("load").start(task);
        return task;
    }

    /** The figure that follows from a limit and the load, in the unit of the fault. */
    private static double figure(Fault fault, double places, double inUse, Table load) {
        double x = Results.value(load, "requests/s");
        return switch (fault) {
            case LOST_WAKE_UP -> Results.value(load, "mean (ms)");
            case UNBOUNDED_ADMISSION -> x;
            case NESTED_TRANSACTION -> places;
            case CPU_WORK, PER_THREAD_CACHE -> 1e3 * inUse / x;
            default -> 1e3 * places / x;
        };
    }
}
