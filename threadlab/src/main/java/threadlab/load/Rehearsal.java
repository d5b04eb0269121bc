package threadlab.load;

import java.time.Duration;
import java.util.List;

/**
 * What the set-up runs once so that later load generators start faster: a load of each kind, while the JVM records
 * which classes it needs and how these are linked (JEP 483).
 */
final class Rehearsal {

    private static final Duration DURING = Duration.ofMillis(300);

    private Rehearsal() {}

    /**
     * Sends the loads to a server of its own.
     *
     * @param args none
     * @throws Exception a fault in this program
     */
    public static void main(String[] args) throws Exception {
        try (var server = Practice.serve()) {
            for (var loop : List.of(new Loop.Closed(1), new Loop.Open(10, 1))) {
                var plan = new Plan(Practice.target(server), loop, 1, 0, DURING, DURING, 0);
                Generator.main(new String[] {plan.line()});
            }
        }
    }
}
