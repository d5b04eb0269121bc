package threadlab.load;

import java.time.Duration;

/**
 * What the generator is to do.
 *
 * @param target what the requests ask for
 * @param clients of a closed loop; 0 for an open one
 * @param rampUp the time within which they begin, each at a random moment; zero if all begin at once
 * @param rate requests per second of an open loop; 0 for a closed one
 * @param seed of its random arrivals
 * @param warmUp requests sent before the run in the same way, not counted
 * @param requests after how many requests the run ends; 0 if it ends by time
 * @param during the longest time for which requests are sent
 * @param timeOut how long one request may take
 * @param serverProcess the process whose CPU time is read; 0 for none
 * @param steadyWithin only warm up the server, for this time at most; zero for a run
 */
record Plan(
        Endpoint target,
        int clients,
        Duration rampUp,
        int rate,
        long seed,
        int warmUp,
        int requests,
        Duration during,
        Duration timeOut,
        long serverProcess,
        Duration steadyWithin) {
    static final int LONGEST_SECONDS = 120;
    static final int LONGEST_WARM_UP_SECONDS = 30;

    /** Also bounds a run that ends after a number of requests. */
    static final Duration LONGEST = Duration.ofSeconds(LONGEST_SECONDS);

    private static final Duration SLICE = Duration.ofSeconds(1);
    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(LONGEST_WARM_UP_SECONDS);
    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(5);

    /** A closed loop whose clients begin at once, without a warm-up. */
    static Plan closed(Endpoint target, int clients, int requests, Duration during) {
        return new Plan(target, clients, Duration.ZERO, 0, 0, 0, requests, during, during, 0, Duration.ZERO);
    }

    /** An open loop without a warm-up. */
    static Plan open(Endpoint target, int rate, long seed, int requests, Duration during) {
        return new Plan(target, 0, Duration.ZERO, rate, seed, 0, requests, during, during, 0, Duration.ZERO);
    }

    /** The plan of the warm-up. */
    Plan warmingUp() {
        return new Plan(
                target, clients, Duration.ZERO, rate, seed, 0, warmUp, LONGEST_WARM_UP, timeOut, 0, Duration.ZERO);
    }

    /** The plan that only warms up the server: until the CPU time of a request is steady, or this time is up. */
    Plan untilSteady(Endpoint by, Duration most) {
        return new Plan(by, clients, Duration.ZERO, rate, seed, 0, 0, most, timeOut, serverProcess, most);
    }

    /** A short part of that plan, without an end of its own. */
    Plan slice() {
        return new Plan(target, clients, Duration.ZERO, rate, seed, 0, 0, SLICE, timeOut, serverProcess, Duration.ZERO);
    }

    /** How long the generator tries to open its connections before it begins. */
    Duration connecting() {
        return timeOut.compareTo(LONGEST_CONNECT) < 0 ? timeOut : LONGEST_CONNECT;
    }

    /** A generator that takes longer than this hangs. */
    Duration longest() {
        var before = START.plus(LONGEST_CONNECT).plus(LONGEST_WARM_UP);
        return before.plus(rampUp).plus(during).plus(timeOut.multipliedBy(2));
    }

    /** How many requests are sent at most, without the warm-up. */
    int most() {
        return requests == 0 ? Integer.MAX_VALUE : requests;
    }

    /** About how many requests will have been sent in the end, judged by a moment of the run. */
    int expected(Moment now) {
        double share = Math.clamp(now.seconds() * 1e3 / during.toMillis(), 0.01, 1);
        return requests > 0 ? requests : (int) Math.max(now.ended() / share, 1);
    }

    /** The number that a row calls n. */
    int n() {
        return Math.max(clients, rate);
    }

    /** What n counts. */
    String unit() {
        return rate > 0 ? "requests per second" : clients == 1 ? "client" : "clients";
    }
}
