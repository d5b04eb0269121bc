package threadlab.load;

import java.time.Duration;

/**
 * A part of a run: requests of one kind from a start to an end.
 *
 * @param target what they ask for
 * @param loop when they are sent
 * @param requests after how many it ends; 0 if it ends by time alone
 * @param during for how long requests are sent at most
 * @param timeOut how long one request may take
 */
record Phase(Target target, Loop loop, int requests, Duration during, Duration timeOut) {

    /** How many requests it sends at most. */
    int most() {
        return requests == 0 ? Integer.MAX_VALUE : requests;
    }

    /**
     * About how many requests it will have sent in the end.
     *
     * @param ended how many have ended
     * @param nanos since its start
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
