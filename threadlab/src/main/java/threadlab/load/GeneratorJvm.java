package threadlab.load;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.function.Consumer;
import threadlab.child.ChildJvm;
import threadlab.child.JvmOptions;
import threadlab.child.RunningChild;
import threadlab.measure.Trials;
import threadlab.support.Standstill;

/** The JVM of the load generator: it sends one load after the other, and ends when it is closed. */
final class GeneratorJvm implements AutoCloseable {

    private final RunningChild jvm;
    /** After a longer stop of the whole program a load is repeated. */
    Duration standstill = Duration.ofSeconds(Trials.STANDSTILL);

    private Standstill still;

    /**
     * Starts it.
     *
     * @param connections the most that a load will have
     * @param longest how long all loads may take
     */
    GeneratorJvm(int connections, Duration longest) {
        jvm = ChildJvm.of(Generator.class)
                .forLoad()
                .options(JvmOptions.small())
                .heap(64 + 16 * connections / 1_000 + "m")
                .timeOut(longest)
                .quiet()
                .start();
    }

    /**
     * Sends a load and waits for its end.
     *
     * @param answer the record that the generator answers at the end
     * @param each is told of the moments meanwhile
     * @throws IllegalStateException if the generator fails
     */
    <T> T send(Plan plan, Class<T> answer, Consumer<Moment> each) throws InterruptedException {
        var results = new ArrayList<T>();
        try {
            jvm.ask(plan);
        } catch (IOException e) {
            // it has ended, and says why below
        }
        still = new Standstill(standstill);
        boolean told = jvm.tells(() -> {
            still.look();
            jvm.answers(Moment.class).forEach(each);
            return results.addAll(jvm.answers(answer));
        });
        if (!told) {
            throw new IllegalStateException(
                    "the load generator failed: " + jvm.await().explanation());
        }
        still.look();
        return results.getFirst();
    }

    /** {@return for how long everything stood still in the last load, in ns} */
    long stoodStill() {
        return still.nanos();
    }

    @Override
    public void close() {
        jvm.close();
    }
}
