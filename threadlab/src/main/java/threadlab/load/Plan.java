package threadlab.load;

import java.time.Duration;

/**
 * What the generator is to do.
 *
 * @param target what the requests ask for
 * @param loop when they are sent
 * @param warmUp requests sent before the run in the same way, not counted
 * @param requests after how many requests the run ends; 0 if it ends by time
 * @param during the longest time for which requests are sent
 * @param timeOut how long one request may take
 * @param serverProcess the process whose CPU time is read; 0 for none
 */
record Plan(Target target, Loop loop, int warmUp, int requests, Duration during, Duration timeOut, long serverProcess)
        implements Message {

    static final int LONGEST_SECONDS = 120;
    static final int LONGEST_WARM_UP_SECONDS = 30;

    /** Also bounds a run that ends after a number of requests. */
    static final Duration LONGEST = Duration.ofSeconds(LONGEST_SECONDS);

    private static final Duration START = Duration.ofSeconds(30);
    private static final Duration LONGEST_WARM_UP = Duration.ofSeconds(LONGEST_WARM_UP_SECONDS);
    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(5);

    /** The plan of the warm-up. */
    Plan warmingUp() {
        return new Plan(target, loop.withoutRampUp(), 0, warmUp, LONGEST_WARM_UP, timeOut, 0);
    }

    /** How long the generator tries to open its connections before it begins. */
    Duration connecting() {
        return timeOut.compareTo(LONGEST_CONNECT) < 0 ? timeOut : LONGEST_CONNECT;
    }

    /** A generator that takes longer than this hangs. */
    Duration longest() {
        return START.plus(LONGEST_CONNECT)
                .plus(LONGEST_WARM_UP)
                .plus(loop.rampUp())
                .plus(during)
                .plus(timeOut.multipliedBy(2));
    }

    /** How many requests are sent at most, without the warm-up. */
    int most() {
        return requests == 0 ? Integer.MAX_VALUE : requests;
    }

    /**
     * About how many requests will have been sent in the end.
     *
     * @param ended how many have ended
     * @param nanos since the first was sent
     */
    int expected(int ended, long nanos) {
        if (requests > 0) {
            return Math.max(requests, ended);
        }
        double passed = Math.clamp(nanos / (double) during.toNanos(), 0.01, 1);
        double expected =
                switch (loop) {
                    case Loop.Open open -> open.rate() * (during.toNanos() / 1e9);
                    case Loop.Closed _ -> ended / passed;
                };
        return (int) Math.max(Math.round(expected), ended);
    }
}
