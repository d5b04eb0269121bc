package threadlab.load;

import java.time.Duration;

/**
 * What the set-up runs once so that later load generators start faster: a load of each kind, while the JVM records
 * which classes it needs and how these are linked (JEP 483).
 */
final class LoadRehearsal {

    private static final Duration DURING = Duration.ofMillis(300);

    private LoadRehearsal() {}

    /**
     * Sends the loads to a server of its own.
     *
     * @param args none
     * @throws Exception a fault in this program
     */
    public static void main(String[] args) throws Exception {
        try (var server = Practice.serve()) {
            var target = Practice.target(server);
            new Generator().run(Plan.closed(target, 1, 0, DURING));
            new Generator().run(Plan.open(target, 10, 1, 0, DURING));
        }
    }
}
