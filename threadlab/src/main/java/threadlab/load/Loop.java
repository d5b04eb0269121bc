package threadlab.load;

import java.io.Serializable;
import java.time.Duration;

/** When the next request is sent. */
sealed interface Loop extends Serializable {

    /**
     * Each client sends its next request when the last is answered.
     *
     * @param clients 1 or more
     * @param rampUp the time within which they begin, each at a random moment; zero if all begin at once
     */
    record Closed(int clients, Duration rampUp) implements Loop {

        /** Clients that begin at the same time. */
        Closed(int clients) {
            this(clients, Duration.ZERO);
        }

        @Override
        public Loop withoutRampUp() {
            return new Closed(clients);
        }

        @Override
        public int n() {
            return clients;
        }

        @Override
        public String unit() {
            return clients == 1 ? "client" : "clients";
        }

        @Override
        public int connections() {
            return clients;
        }
    }

    /**
     * Requests come by the clock, at random.
     *
     * @param rate requests per second, 1 or more
     * @param seed of the random arrivals
     */
    record Open(int rate, long seed) implements Loop {
        @Override
        public int n() {
            return rate;
        }

        @Override
        public String unit() {
            return "requests per second";
        }

        @Override
        public int connections() {
            return 0;
        }
    }

    /** The number that a row calls n. */
    int n();

    /** What n counts. */
    String unit();

    /** The time within which the clients begin; it is not counted. */
    default Duration rampUp() {
        return Duration.ZERO;
    }

    /** The same requests, without a ramp-up. */
    default Loop withoutRampUp() {
        return this;
    }

    /** How many connections are opened before the clock starts. */
    int connections();
}
