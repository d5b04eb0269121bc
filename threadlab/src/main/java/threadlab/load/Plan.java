package threadlab.load;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;

/**
 * What the generator shall do. It travels to the child JVM as the arguments of its {@code main}.
 *
 * @param address the server's address, resolved and checked; the child resolves nothing
 * @param port the server's port
 * @param authority the header {@code Host}
 * @param target path and query
 * @param clients clients of a closed loop; 0 in an open loop
 * @param rate requests per second of an open loop; 0 in a closed loop
 * @param evenly whether the requests of an open loop come at equal distances
 * @param requests after how many requests it ends; 0 if it ends by time
 * @param during for how long requests are sent at most
 * @param warmUp requests before, not counted
 * @param timeOut how long one request may take
 * @param seed of the random arrivals
 * @param serverProcess whose CPU time to read; 0 for none
 */
record Plan(
        String address,
        int port,
        String authority,
        String target,
        int clients,
        int rate,
        boolean evenly,
        int requests,
        Duration during,
        int warmUp,
        Duration timeOut,
        long seed,
        long serverProcess) {

    static final int MOST_CLIENTS = 20_000;
    private static final int FILES_OF_A_JVM = 200;

    static final Duration LONGEST = Duration.ofMinutes(2);
    static final Duration LONGEST_WARM_UP = Duration.ofSeconds(30);
    static final Duration LONGEST_CONNECT = Duration.ofSeconds(5);

    /** How many connections this JVM may have at once: 20,000, or what the system allows beside the files of a JVM. */
    static int mostConnections() {
        var system = ManagementFactory.getOperatingSystemMXBean();
        long files =
                system instanceof UnixOperatingSystemMXBean unix ? unix.getMaxFileDescriptorCount() : Long.MAX_VALUE;
        return Math.clamp(files - FILES_OF_A_JVM, 1, MOST_CLIENTS);
    }

    /** The same for another part of the run, such as the warm-up. */
    Plan part(int requests, Duration during) {
        return new Plan(
                address, port, authority, target, clients, rate, evenly, requests, during, warmUp, timeOut, seed, 0);
    }

    /** A closed loop on another server, to make the generator itself warm. */
    Plan practice(String address, int port, int clients, int requests) {
        return new Plan(
                address, port, authority, target, clients, 0, false, requests, LONGEST_CONNECT, 0, timeOut, seed, 0);
    }

    boolean open() {
        return rate > 0;
    }

    Object[] arguments() {
        return new Object[] {
            address,
            port,
            authority,
            target,
            clients,
            rate,
            evenly,
            requests,
            during,
            warmUp,
            timeOut,
            seed,
            serverProcess
        };
    }

    static Plan of(String[] arguments) {
        return new Plan(
                arguments[0],
                Integer.parseInt(arguments[1]),
                arguments[2],
                arguments[3],
                Integer.parseInt(arguments[4]),
                Integer.parseInt(arguments[5]),
                Boolean.parseBoolean(arguments[6]),
                Integer.parseInt(arguments[7]),
                Duration.parse(arguments[8]),
                Integer.parseInt(arguments[9]),
                Duration.parse(arguments[10]),
                Long.parseLong(arguments[11]),
                Long.parseLong(arguments[12]));
    }
}
