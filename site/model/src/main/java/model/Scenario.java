package model;

import java.util.ArrayList;
import java.util.List;

/** What is simulated: who comes, what each request does, and what there is to run it. Times are in ms. */
public final class Scenario {

    /** One request that comes at a given time, with its own steps. */
    record Single(double at, List<Step> steps) {}

    /** The length of a turn of threads that compete for CPUs. */
    static final double SLICE = 5;

    final List<Step> steps;
    final List<Place> places = new ArrayList<>();
    final List<Single> singles = new ArrayList<>();

    int cpus = 2;
    int carriers = 2;
    int mostCarriers = 256;
    boolean byQueue;
    int threads;
    int queue = Integer.MAX_VALUE;
    int clients;
    int rounds = Integer.MAX_VALUE;
    double until = Double.POSITIVE_INFINITY;
    double perSecond;
    boolean random;
    int seed = 1;

    private Scenario(List<Step> steps) {
        this.steps = steps;
    }

    /**
     * {@return a scenario on two CPUs and two carriers, in which nobody comes yet}
     *
     * @param steps what each request does
     */
    public static Scenario of(Step... steps) {
        return new Scenario(List.of(steps));
    }

    /**
     * {@return this, with another place} The first has the number 0.
     *
     * @param place a lock, permits, connections
     */
    public Scenario place(Place place) {
        places.add(place);
        return this;
    }

    /**
     * {@return this, on a virtual thread for each request}
     *
     * @param parallelism the number of carriers
     */
    public Scenario virtual(int parallelism) {
        threads = 0;
        carriers = parallelism;
        return this;
    }

    /**
     * {@return this, where a carrier takes threads queue by queue} Of its own queue come those that a thread on a
     * carrier has woken; then, as long as it lasts, the one of the two others from which it took last: that of the
     * requests that have come, or that of those that a timer woke. So does Java since 25; Java 21, with one carrier, has
     * a single queue.
     */
    public Scenario byQueue() {
        byQueue = true;
        return this;
    }

    /**
     * {@return this, on a pool of platform threads}
     *
     * @param size how many
     * @param most how many requests may wait for a thread; further ones are refused
     */
    public Scenario pool(int size, int most) {
        threads = size;
        queue = most;
        return this;
    }

    /**
     * {@return this, on some CPUs}
     *
     * @param number how many
     */
    public Scenario cpus(int number) {
        cpus = number;
        return this;
    }

    /**
     * {@return this, in a closed loop: each client sends a request, waits for its answer, and sends the next}
     *
     * @param number of clients
     * @param each how many requests it sends
     * @param end when it stops to send, in ms
     */
    public Scenario closed(int number, int each, double end) {
        clients = number;
        rounds = each;
        until = end;
        return this;
    }

    /**
     * {@return this, in an open loop: requests come without waiting for each other}
     *
     * @param rate requests per second
     * @param ms for how long
     * @param atRandom whether the gaps are random, a Poisson process, or all the same
     * @param dice the seed of those gaps
     */
    public Scenario open(double rate, double ms, boolean atRandom, int dice) {
        perSecond = rate;
        until = ms;
        random = atRandom;
        seed = dice;
        return this;
    }

    /**
     * {@return this, with one more request}
     *
     * @param at when it comes, in ms
     * @param what it does
     */
    public Scenario also(double at, Step... what) {
        singles.add(new Single(at, List.of(what)));
        return this;
    }

    /** {@return what happens} */
    public Simulated run() {
        return new Simulation(this).run();
    }
}
