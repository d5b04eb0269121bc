package site;

import java.util.ArrayList;
import java.util.Arrays;
import model.Place;
import model.Scenario;
import model.Step;
import model.Step.Kind;
import org.teavm.jso.JSExport;

/**
 * What the pages with sliders ask of the model; figures separated by commas. The same program answers on the JVM, where
 * a test compares both.
 */
public final class Model {

    private static final double FOR_EVER = Double.POSITIVE_INFINITY;

    private Model() {}

    /**
     * Clients in a closed loop: requests per second, mean latency in ms, mean number inside, share of the CPUs in use.
     *
     * @param threads of the pool; 0 for a virtual thread each
     */
    @JSExport
    public static String pool(int clients, int threads, double waits, double computes) {
        var scenario = Scenario.of(Step.compute(computes), Step.waits(waits)).closed(clients, 6, FOR_EVER);
        var seen = (threads == 0 ? scenario.virtual(2) : scenario.pool(threads, Integer.MAX_VALUE)).run();
        return figures(
                seen.answered() * 1_000.0 / seen.lasted(),
                seen.mean(1),
                seen.inside(),
                6 * clients * computes / (2 * seen.lasted()));
    }

    /**
     * Threads wait, and after a quarter of that time a newcomer comes: how many ms it waits for a carrier, the carriers
     * that are held, how many wait for one.
     *
     * @param kind {@code WAIT}, {@code HOLD} or {@code COMPENSATED}
     */
    @JSExport
    public static String newcomer(String kind, int threads, int carriers, double waits) {
        var scenario = Scenario.of().virtual(carriers);
        for (int i = 0; i < threads; i++) {
            scenario.also(0, Step.stopped(Kind.valueOf(kind), 0, waits));
        }
        var seen = scenario.also(waits / 5).run();
        return figures(seen.lastWaits(), kind.equals("WAIT") ? 0 : seen.mostMounted(), seen.mostQueued());
    }

    /**
     * Orders come at random to a warehouse with room for 12: good answers per second, refused ones, the p99 of the good
     * answers in ms, and the most orders inside; each the median of some runs.
     *
     * @param permits of a limit that refuses; 0 for none
     * @param runs how many, with other arrivals each
     */
    @JSExport
    public static String door(double perSecond, int permits, double patience, double takes, int runs) {
        double[][] figures = new double[4][runs];
        for (int seed = 0; seed < runs; seed++) {
            var scenario = permits == 0
                    ? Scenario.of(Step.enter(0), Step.waits(takes), Step.leave(0))
                    : Scenario.of(Step.enter(1), Step.enter(0), Step.waits(takes), Step.leave(0), Step.leave(1));
            var seen = scenario.place(Place.of(12))
                    .place(Place.limit(permits))
                    .open(perSecond, 1_800, true, seed)
                    .run();
            figures[0][seed] = seen.good(1_200, 1_800, patience);
            figures[1][seed] = seen.refused() / 1.8;
            figures[2][seed] = seen.percentile(99, patience);
            figures[3][seed] = seen.mostInside();
        }
        for (double[] one : figures) {
            Arrays.sort(one);
        }
        return figures(figures[0][runs / 2], figures[1][runs / 2], figures[2][runs / 2], figures[3][runs / 2]);
    }

    /**
     * Threads that compute and sleep by turns, on as many CPUs as carriers, and then end: for each stay on a carrier the
     * thread, the carrier, both from 0, and from when to when in ms.
     *
     * @param busy how long each of their parts computes in µs, thread by thread, a semicolon after each; further
     *     threads compute as the first ones do
     * @param parts of each thread
     * @param starts how long it takes to start a carrier after the one before, in ms
     */
    @JSExport
    public static String mounts(String busy, int parts, int threads, int carriers, double sleeps, double starts) {
        // String.split and Double.parseDouble would triple the size of the script
        var all = new ArrayList<Step>();
        for (int from = 0, to; (to = busy.indexOf(';', from)) >= 0; from = to + 1) {
            all.add(Step.compute(Integer.parseInt(busy.substring(from, to)) / 1_000.0));
        }
        var scenario = Scenario.of().virtual(carriers).cpus(carriers);
        for (int i = 0; i < threads; i++) {
            var steps = new Step[2 * parts - 1];
            for (int part = 0; part < parts; part++) {
                steps[2 * part] = all.get((i * parts + part) % all.size());
                if (part > 0) {
                    steps[2 * part - 1] = Step.waits(sleeps);
                }
            }
            scenario.also(starts * Math.min(i, carriers - 1), steps);
        }
        var text = new StringBuilder();
        for (var mount : scenario.run().mounts()) {
            text.append(text.length() == 0 ? "" : ",")
                    .append(figures(mount.request(), mount.carrier(), mount.from(), mount.until()));
        }
        return text.toString();
    }

    /**
     * A thread is woken after 20 ms, while another computes on the only carrier; newcomers come after 45 ms, compute,
     * and wait for 20 ms: how many ms after it was woken the thread runs, and how many newcomers have begun before it.
     *
     * @param way who wakes it: {@code timer}, {@code computing} or {@code starter}
     * @param byQueue whether newcomers and those that a timer wakes have queues of their own
     * @param until when the other one stops to compute, in ms, 20 or more
     * @param permits of a limit that refuses newcomers; 0 for none
     */
    @JSExport
    public static String overtaken(
            String way, boolean byQueue, int newcomers, double computes, double until, int permits) {
        // the first place is a signal: nobody has it until the other one gives it
        var scenario = Scenario.of().virtual(1).cpus(1).place(Place.of(0)).place(Place.limit(permits));
        if (byQueue) {
            scenario.byQueue();
        }
        boolean starter = way.equals("starter");
        if (!starter) {
            scenario.also(0, way.equals("timer") ? Step.waits(20) : Step.enter(0));
        }
        scenario.also(0, Step.compute(20), Step.leave(0), Step.compute(until - 20));
        if (starter) {
            // who starts it and who wakes it put it into the same queue
            scenario.also(20);
        }
        for (int i = 0; i < newcomers; i++) {
            if (permits == 0) {
                scenario.also(45, Step.compute(computes), Step.waits(20));
            } else {
                scenario.also(45, Step.enter(1), Step.compute(computes), Step.waits(20), Step.leave(1));
            }
        }
        var seen = scenario.run();
        int woken = starter ? 1 : 0;
        return figures(seen.ended(woken) - 20, seen.overtook(woken));
    }

    private static String figures(double... all) {
        var text = new StringBuilder();
        for (double one : all) {
            text.append(text.length() == 0 ? "" : ",").append(Double.isNaN(one) ? "" : String.valueOf(one));
        }
        return text.toString();
    }

    /** On the JVM: the answers for many settings, a line each. */
    public static void main(String[] args) {
        System.out.print(everything());
    }

    /** The same in JavaScript, for a test. */
    @JSExport
    public static String everything() {
        var text = new StringBuilder();
        for (int threads = 1; threads < 12; threads++) {
            text.append(mounts("33300;20123;40700;10001;", 3, threads, 1 + threads % 4, 50, 3.7))
                    .append('\n');
            for (var way : new String[] {"timer", "computing", "starter"}) {
                text.append(overtaken(way, true, threads, 5.3, 65, threads % 5)).append('\n');
                text.append(overtaken(way, false, threads, 5.3, 65, 0)).append('\n');
            }
        }
        for (int size = 1; size <= 100; size = size * 2 + 1) {
            for (int computes = 0; computes < 8; computes += 3) {
                text.append(pool(size, 0, 50.1, computes / 7.0)).append('\n');
                text.append(pool(size, 20, 33.3, computes / 7.0)).append('\n');
            }
            for (Kind kind : new Kind[] {Kind.WAIT, Kind.HOLD, Kind.COMPENSATED}) {
                text.append(newcomer(kind.name(), size, 2, 500)).append('\n');
            }
            for (int permits = 0; permits < 60; permits += 12) {
                text.append(door(4.3 * size, permits, 360, 30, 3)).append('\n');
            }
        }
        return text.toString();
    }
}
