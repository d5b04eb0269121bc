package threadlab.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import tech.tablesaw.api.Table;
import threadlab.measure.Kind;
import threadlab.measure.Machine;
import threadlab.measure.Trials;
import threadlab.support.Arguments;
import threadlab.support.Progress;
import threadlab.support.TrialsObserver;

/**
 * Compares servers under the same load, as {@link Trials} compares what a cell runs.
 *
 * <pre>{@code
 * var runs = Loads.of("n clients")
 *         .platform("pool of 200", n -> pool.load("/orders").clients(n).requests(2 * n))
 *         .virtual(n -> virtual.load("/orders").clients(n).requests(2 * n))
 *         .sizes(500)
 *         .run();
 * }</pre>
 *
 * <p>First each server is warmed up by its own load at the largest size, until the CPU time of a request is steady: until
 * three slices of a second or more in a row differ by a fifth at most. A printed line shows every slice, and says where
 * the time was up before that. Then the servers take turns, and each round begins with another one, so that a drift of
 * the machine affects all of them alike. {@link threadlab.measure.Results#ratios} pairs what was measured in the same
 * round.
 *
 * <p>The result has one row per run, in the columns of {@link Load}.
 */
public final class Loads {

    private static final int LEAST_ROUNDS = 3;
    private static final int MOST_ROUNDS = 100;

    /** How long one server is warmed up at most, in seconds, if nothing is set. */
    public static final int WARM_UP = 10;

    /** The same with {@code THREADLAB_SCALE=small}. */
    public static final int WARM_UP_IF_SMALL = 4;

    private record Contender(String name, IntFunction<Load> load) {}

    private final String what;
    private final List<Contender> contenders = new ArrayList<>();
    private List<Integer> sizes = List.of(1);
    private int rounds = LEAST_ROUNDS;
    private Duration warmUp = Duration.ofSeconds(Machine.here().scaled(WARM_UP_IF_SMALL, WARM_UP, WARM_UP));

    private Loads(String what) {
        this.what = what;
    }

    /**
     * {@return a comparison without servers}
     *
     * @param what what n counts, such as {@code "n clients"}; it becomes the name of the table and of a chart's axis
     */
    public static Loads of(String what) {
        return new Loads(Arguments.notBlank(what, "a comparison needs a name, such as \"n clients\""));
    }

    /**
     * Adds a server on platform threads.
     *
     * @param name what sets it apart, such as {@code "pool of 200"}
     * @param load the load on it at size n: clients or a rate, and an end; with the process of the server
     * @return this comparison
     */
    public Loads platform(String name, IntFunction<Load> load) {
        return add(Kind.PLATFORM.named(name), n -> load.apply(n).server(Kind.PLATFORM, name));
    }

    /**
     * Adds the server on virtual threads.
     *
     * @param load as for {@link #platform}
     * @return this comparison
     */
    public Loads virtual(IntFunction<Load> load) {
        return add(Kind.VIRTUAL.toString(), n -> load.apply(n).server(Kind.VIRTUAL));
    }

    /**
     * Adds a server on virtual threads.
     *
     * @param name what sets it apart
     * @param load as for {@link #platform}
     * @return this comparison
     */
    public Loads virtual(String name, IntFunction<Load> load) {
        return add(Kind.VIRTUAL.named(name), n -> load.apply(n).server(Kind.VIRTUAL, name));
    }

    /**
     * Adds a server whose requests share a few threads.
     *
     * @param name what rows and charts call it, such as {@code "WebFlux"}
     * @param load as for {@link #platform}
     * @return this comparison
     */
    public Loads sharing(String name, IntFunction<Load> load) {
        return add(Kind.SHARING.named(name), n -> load.apply(n).server(Kind.SHARING, name));
    }

    /**
     * Adds a server that is not compared by its threads.
     *
     * @param name what rows and charts call it
     * @param load as for {@link #platform}
     * @return this comparison
     */
    public Loads contender(String name, IntFunction<Load> load) {
        return add(Kind.OTHER.named(name), n -> load.apply(n).server(name));
    }

    private Loads add(String name, IntFunction<Load> load) {
        boolean taken = contenders.stream().anyMatch(it -> it.name.equals(name));
        Arguments.require(!taken, "there is already a contender \"%s\": give each its own name", name);
        contenders.add(new Contender(name, load));
        return this;
    }

    /**
     * Sets the sizes at which every server is loaded.
     *
     * @param n clients or requests per second, as the loads use it
     * @return this comparison
     */
    public Loads sizes(int... n) {
        Arguments.require(n.length > 0, "no size was given: name at least one, such as sizes(500)");
        sizes = Arrays.stream(n).sorted().distinct().boxed().toList();
        return this;
    }

    /**
     * Sets the number of rounds; in each of them every server is loaded once at every size.
     *
     * @param rounds from {@value #LEAST_ROUNDS}, the default, to {@value #MOST_ROUNDS}: fewer show no spread
     * @return this comparison
     */
    public Loads repeat(int rounds) {
        this.rounds = Arguments.inRange("repeat", rounds, LEAST_ROUNDS, MOST_ROUNDS);
        return this;
    }

    /**
     * Sets how long each server may be warmed up.
     *
     * @param most up to {@value threadlab.load.Plan#LONGEST_SECONDS} s; zero for servers that an earlier comparison has
     *     warmed up; by default {@value #WARM_UP} s, or
     *     {@value #WARM_UP_IF_SMALL} s with {@code THREADLAB_SCALE=small}
     * @return this comparison
     */
    public Loads warmUp(Duration most) {
        warmUp = Arguments.inRange("warmUp", most, Duration.ZERO, Plan.LONGEST);
        return this;
    }

    /**
     * Warms up, then sends all loads, one at a time.
     *
     * @return one row per run, in the order of the runs; after an interrupt, those until then, with the thread's interrupt
     *     status set
     * @throws IllegalStateException if there are fewer than two servers, or a load lacks something; see {@link Load#run}
     * @throws InterruptedException if the cell is interrupted before the first row; nothing is left running
     */
    public Table run() throws InterruptedException {
        if (contenders.size() < 2) {
            throw new IllegalStateException(
                    "a comparison needs two servers or more, and has %d: add one, such as virtual(n -> …)"
                            .formatted(contenders.size()));
        }
        var observer = TrialsObserver.installed();
        var rows = Load.runs(what);
        var warmUps = warmUp.isPositive() ? contenders : List.<Contender>of();
        int planned = warmUps.size() + rounds * sizes.size() * contenders.size();
        long start = System.nanoTime();
        int done = 0;
        var state = Progress.State.INTERRUPTED;
        try (var generator = generator()) {
            for (var contender : warmUps) {
                tell(observer, Progress.State.RUNNING, contender.name, done++, planned, start, rows);
                System.out.println(at(contender, sizes.getLast()).untilSteady(generator, warmUp));
            }
            for (int round = 1; round <= rounds; round++) {
                for (int n : sizes) {
                    for (int i = 0; i < contenders.size(); i++) {
                        var contender = contenders.get((i + round - 1) % contenders.size());
                        tell(observer, Progress.State.RUNNING, contender.name, done++, planned, start, rows);
                        rows.append(at(contender, n).trial(round).run(generator));
                    }
                }
            }
            state = Progress.State.FINISHED;
        } catch (InterruptedException e) {
            if (rows.isEmpty()) {
                throw e;
            }
            Thread.currentThread().interrupt();
        } finally {
            tell(observer, state, "", done, planned, start, rows);
        }
        return rows;
    }

    /** A load that shows no progress of its own. */
    private static Load at(Contender contender, int n) {
        return contender.load.apply(n).toldTo(progress -> {});
    }

    private void tell(
            TrialsObserver observer, Progress.State state, String name, int done, int planned, long start, Table rows) {
        var elapsed = Duration.ofNanos(System.nanoTime() - start);
        observer.told(new Progress(what, state, name, "loads", done, planned, rows.rowCount(), elapsed, null, rows));
    }

    /** One for all loads, since a JVM takes a second to start. */
    private GeneratorJvm generator() {
        int connections = 1;
        var longest = warmUp.multipliedBy(2L * contenders.size());
        for (var contender : contenders) {
            for (int n : sizes) {
                var load = at(contender, n);
                connections = Math.max(connections, load.connections());
                longest = longest.plus(load.plan().longest().multipliedBy(rounds));
            }
        }
        return new GeneratorJvm(connections, longest);
    }
}
