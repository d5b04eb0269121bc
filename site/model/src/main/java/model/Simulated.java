package model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** What a simulation has shown. Times are in ms; a request that never ended has no latency. */
public final class Simulated {

    /**
     * The time that a virtual thread was on a carrier without a break; times of no length are left out.
     *
     * @param request its number, by the order in which they came, from 0
     * @param carrier its number, from 0
     * @param from in ms
     * @param until in ms
     */
    public record Mount(int request, int carrier, double from, double until) {}

    private final List<Simulation.Task> tasks;
    final List<Mount> mounts = new ArrayList<>();

    double lasted;
    double integral;
    double computed;
    int mostInside;
    int mostMounted;
    int mostQueued;

    Simulated(List<Simulation.Task> tasks) {
        this.tasks = tasks;
    }

    /** {@return how long it took until nothing happened any more} */
    public double lasted() {
        return lasted;
    }

    /** {@return how many requests were answered} */
    public int answered() {
        int answered = 0;
        for (Simulation.Task task : tasks) {
            answered += isAnswered(task) ? 1 : 0;
        }
        return answered;
    }

    /** {@return how many requests were refused} */
    public int refused() {
        int refused = 0;
        for (Simulation.Task task : tasks) {
            refused += task.refused ? 1 : 0;
        }
        return refused;
    }

    /** {@return how many requests never ended} */
    public int stuck() {
        int stuck = 0;
        for (Simulation.Task task : tasks) {
            stuck += Double.isNaN(task.ended) ? 1 : 0;
        }
        return stuck;
    }

    /** {@return how many requests have begun to run} */
    public int begun() {
        int begun = 0;
        for (Simulation.Task task : tasks) {
            begun += Double.isNaN(task.began) ? 0 : 1;
        }
        return begun;
    }

    /**
     * {@return answers per second that came before the client had lost its patience}
     *
     * @param from answers from this time on count
     * @param to until this time
     * @param patience of the client
     */
    public double good(double from, double to, double patience) {
        int good = 0;
        for (Simulation.Task task : tasks) {
            boolean counts = isAnswered(task) && task.ended >= from && task.ended <= to;
            good += counts && task.ended - task.arrived <= patience ? 1 : 0;
        }
        return good * 1_000 / (to - from);
    }

    /**
     * {@return the latencies of the answered requests, in the order of their arrivals}
     *
     * @param withoutRounds how many first requests of each client do not count
     */
    public List<Double> latencies(int withoutRounds) {
        var all = new ArrayList<Double>();
        for (Simulation.Task task : tasks) {
            if (isAnswered(task) && (task.round <= 0 || task.round > withoutRounds)) {
                all.add(task.ended - task.arrived);
            }
        }
        return all;
    }

    /**
     * {@return the mean latency}
     *
     * @param withoutRounds how many first requests of each client do not count
     */
    public double mean(int withoutRounds) {
        var all = latencies(withoutRounds);
        double sum = 0;
        for (double one : all) {
            sum += one;
        }
        return sum / all.size();
    }

    /**
     * {@return a percentile of the latency}
     *
     * @param percent such as 99
     * @param patience of the client: later answers do not count
     */
    public double percentile(int percent, double patience) {
        var all = latencies(0);
        all.removeIf(one -> one > patience);
        Collections.sort(all);
        return all.isEmpty() ? Double.NaN : all.get(Math.min(all.size() - 1, all.size() * percent / 100));
    }

    /** {@return how long the last request waited for a thread or a carrier before it began} */
    public double lastWaits() {
        var last = tasks.getLast();
        return last.began - last.arrived;
    }

    /**
     * {@return when a request ended}
     *
     * @param number by the order in which they came, from 0
     */
    public double ended(int number) {
        return tasks.get(number).ended;
    }

    /**
     * {@return how many requests began later than another came, were not refused, and began before that one ended}
     *
     * @param number of the other one, by the order in which they came, from 0
     */
    public int overtook(int number) {
        var one = tasks.get(number);
        int overtook = 0;
        for (Simulation.Task task : tasks) {
            overtook += !task.refused && task.arrived > one.arrived && task.began < one.ended ? 1 : 0;
        }
        return overtook;
    }

    /** {@return when which virtual thread was on which carrier, in the order in which they left it} */
    public List<Mount> mounts() {
        return List.copyOf(mounts);
    }

    /** {@return the mean number of requests inside, over the whole time} */
    public double inside() {
        return integral / lasted;
    }

    /** {@return the most requests that were inside at once} */
    public int mostInside() {
        return mostInside;
    }

    /** {@return the most virtual threads that were on carriers at once} */
    public int mostMounted() {
        return mostMounted;
    }

    /** {@return the most virtual threads that waited for a carrier at once} */
    public int mostQueued() {
        return mostQueued;
    }

    private static boolean isAnswered(Simulation.Task task) {
        return !task.refused && !Double.isNaN(task.ended);
    }
}
