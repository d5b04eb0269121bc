package model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.PriorityQueue;

/** Plays a scenario, one event after the other. */
final class Simulation {

    private enum What {
        ARRIVES,
        BEGINS,
        WAKES,
        GIVES_UP,
        SLICE
    }

    /** Of two events at the same time, the one that was planned first comes first. */
    private record Event(double at, int number, What what, Task task, int step) implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int order = Double.compare(at, other.at);
            return order == 0 ? Integer.compare(number, other.number) : order;
        }
    }

    /** The queues from which a carrier takes threads: see {@link Scenario#byQueue}. */
    private static final int OWN = 0;

    private static final int CAME = 1;
    private static final int TIMER = 2;

    /** A request, with the thread that it runs on. */
    static final class Task {
        final List<Step> steps;
        final int round;
        final double arrived;
        final int[] has;
        double began = Double.NaN;
        double ended = Double.NaN;
        boolean refused;
        boolean mounted;
        boolean compensated;
        /** Whether a thread has woken it, not a timer. */
        boolean handed;

        int number;
        int carrier;
        double mountedAt;
        int step;
        double left;
        /** The number of the place that it waits for; none: −1. */
        int wants = -1;

        Task(List<Step> steps, int round, double arrived, int places) {
            this.steps = steps;
            this.round = round;
            this.arrived = arrived;
            has = new int[places];
        }
    }

    private final Scenario scenario;
    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private final List<Task> tasks = new ArrayList<>();
    private final ArrayDeque<Task> forThread = new ArrayDeque<>();
    private final List<ArrayDeque<Task>> forCarrier =
            List.of(new ArrayDeque<>(), new ArrayDeque<>(), new ArrayDeque<>());
    private final BitSet taken = new BitSet();
    private final ArrayDeque<Task> forCpu = new ArrayDeque<>();
    private final List<ArrayDeque<Task>> forPlace = new ArrayList<>();
    private final int[] free;
    private final Simulated outcome;
    private final Dice dice;

    private double now;
    private int planned;
    private int freeThreads;
    private int freeCpus;
    private int mounted;
    private int added;
    private int inside;
    private int atQueue = CAME;
    private boolean mounting;

    Simulation(Scenario scenario) {
        this.scenario = scenario;
        int places = scenario.places.size();
        free = new int[places];
        for (int i = 0; i < places; i++) {
            free[i] = scenario.places.get(i).room();
            forPlace.add(new ArrayDeque<>());
        }
        freeThreads = scenario.threads;
        freeCpus = scenario.cpus;
        outcome = new Simulated(tasks);
        dice = new Dice(scenario.seed);
    }

    Simulated run() {
        for (int i = 0; i < scenario.clients; i++) {
            arrives(0, scenario.steps, 1);
        }
        if (scenario.perSecond > 0) {
            arrives(0, scenario.steps, 0);
        }
        for (Scenario.Single single : scenario.singles) {
            arrives(single.at(), single.steps(), -1);
        }
        for (Event event = events.poll(); event != null; event = events.poll()) {
            outcome.integral += inside * (event.at - now);
            now = event.at;
            happens(event);
        }
        outcome.lasted = now;
        return outcome;
    }

    private void happens(Event event) {
        var task = event.task;
        switch (event.what) {
            case ARRIVES -> arrived(task);
            case BEGINS -> begins(task);
            case WAKES -> {
                if (task.compensated) {
                    task.compensated = false;
                    added--;
                }
                resumes(task);
            }
            case GIVES_UP -> {
                // it may have the place by now, or wait for another one
                if (task.wants >= 0 && task.step == event.step) {
                    forPlace.get(task.wants).remove(task);
                    task.wants = -1;
                    refused(task);
                }
            }
            case SLICE -> sliceEnds(task);
        }
    }

    // --- who comes and who goes ---

    /** A round of 0 belongs to an open loop, of −1 to a single request. */
    private void arrives(double at, List<Step> steps, int round) {
        plan(at, What.ARRIVES, new Task(steps, round, at, free.length));
    }

    private void arrived(Task task) {
        if (task.round == 0) {
            double next = now + (scenario.random ? dice.exponential() : 1) * 1_000 / scenario.perSecond;
            if (next < scenario.until) {
                arrives(next, scenario.steps, 0);
            }
        }
        task.number = tasks.size();
        tasks.add(task);
        inside++;
        outcome.mostInside = Math.max(outcome.mostInside, inside);
        if (scenario.threads == 0) {
            queue(task, CAME);
        } else if (freeThreads > 0) {
            freeThreads--;
            begins(task);
        } else if (forThread.size() < scenario.queue) {
            forThread.add(task);
        } else {
            task.refused = true;
            leaves(task);
        }
    }

    private void begins(Task task) {
        task.began = now;
        goesOn(task);
    }

    private void refused(Task task) {
        task.refused = true;
        ends(task);
    }

    private void ends(Task task) {
        for (int place = 0; place < free.length; place++) {
            for (; task.has[place] > 0; task.has[place]--) {
                givesBack(place);
            }
        }
        if (scenario.threads > 0) {
            var next = forThread.poll();
            if (next == null) {
                freeThreads++;
            } else {
                // not here: a chain of refused ones would be as deep as the queue is long
                plan(now, What.BEGINS, next);
            }
        } else {
            unmount(task);
        }
        leaves(task);
    }

    private void leaves(Task task) {
        task.ended = now;
        inside--;
        if (task.round > 0 && task.round < scenario.rounds && now < scenario.until) {
            arrives(now, scenario.steps, task.round + 1);
        }
    }

    // --- carriers ---

    private void queue(Task task, int queue) {
        forCarrier.get(scenario.byQueue ? queue : CAME).add(task);
        mount();
    }

    /** The next thread for a carrier; none: {@code null}. */
    private Task next() {
        var own = forCarrier.get(OWN).poll();
        if (own != null) {
            return own;
        }
        if (forCarrier.get(atQueue).isEmpty()) {
            atQueue = CAME + TIMER - atQueue;
        }
        return forCarrier.get(atQueue).poll();
    }

    private int queued() {
        return forCarrier.get(OWN).size()
                + forCarrier.get(CAME).size()
                + forCarrier.get(TIMER).size();
    }

    /** Puts waiting virtual threads on free carriers. */
    private void mount() {
        if (mounting) {
            // one that leaves its carrier at once comes back here: the loop below goes on
            return;
        }
        mounting = true;
        while (queued() > 0 && mounted < Math.min(scenario.carriers + added, scenario.mostCarriers)) {
            var task = next();
            mounted++;
            task.mounted = true;
            task.mountedAt = now;
            task.carrier = taken.nextClearBit(0);
            taken.set(task.carrier);
            outcome.mostMounted = Math.max(outcome.mostMounted, mounted);
            if (Double.isNaN(task.began)) {
                begins(task);
            } else {
                goesOn(task);
            }
        }
        mounting = false;
        outcome.mostQueued = Math.max(outcome.mostQueued, queued());
    }

    private void unmount(Task task) {
        if (task.mounted) {
            task.mounted = false;
            mounted--;
            taken.clear(task.carrier);
            if (now > task.mountedAt) {
                outcome.mounts.add(new Simulated.Mount(task.number, task.carrier, task.mountedAt, now));
            }
            mount();
        }
    }

    private void resumes(Task task) {
        if (scenario.threads == 0 && !task.mounted) {
            queue(task, task.handed ? OWN : TIMER);
        } else {
            goesOn(task);
        }
    }

    // --- the steps of a request ---

    private void goesOn(Task task) {
        while (task.step < task.steps.size()) {
            var step = task.steps.get(task.step++);
            switch (step.kind()) {
                case COMPUTE -> {
                    task.left = step.ms();
                    forCpu.add(task);
                    dispatch();
                    return;
                }
                case WAIT -> {
                    task.handed = false;
                    plan(now + step.lasts(now), What.WAKES, task);
                    unmount(task);
                    return;
                }
                case HOLD -> {
                    plan(now + step.lasts(now), What.WAKES, task);
                    return;
                }
                case COMPENSATED -> {
                    plan(now + step.lasts(now), What.WAKES, task);
                    if (scenario.threads == 0) {
                        task.compensated = true;
                        added++;
                        mount();
                    }
                    return;
                }
                case ENTER -> {
                    if (!enters(task, step.place())) {
                        return;
                    }
                }
                case LEAVE -> {
                    task.has[step.place()]--;
                    givesBack(step.place());
                }
            }
        }
        ends(task);
    }

    /** Whether the request has the place now; otherwise it waits for it or is refused. */
    private boolean enters(Task task, int number) {
        var place = scenario.places.get(number);
        if (free[number] > 0) {
            free[number]--;
            task.has[number]++;
            return true;
        }
        if (place.patience() <= 0) {
            refused(task);
            return false;
        }
        task.wants = number;
        forPlace.get(number).add(task);
        if (place.patience() < Double.POSITIVE_INFINITY) {
            plan(now + place.patience(), What.GIVES_UP, task);
        }
        if (!place.pins()) {
            unmount(task);
        }
        return false;
    }

    private void givesBack(int number) {
        var next = forPlace.get(number).poll();
        if (next == null) {
            free[number]++;
        } else {
            next.wants = -1;
            next.handed = true;
            next.has[number]++;
            plan(now, What.WAKES, next);
        }
    }

    // --- CPUs ---

    private void dispatch() {
        while (freeCpus > 0 && !forCpu.isEmpty()) {
            freeCpus--;
            var task = forCpu.poll();
            plan(now + Math.min(Scenario.SLICE, task.left), What.SLICE, task);
        }
    }

    private void sliceEnds(Task task) {
        double used = Math.min(Scenario.SLICE, task.left);
        task.left -= used;
        outcome.computed += used;
        freeCpus++;
        if (task.left > 0) {
            forCpu.add(task);
            dispatch();
        } else {
            dispatch();
            goesOn(task);
        }
    }

    private void plan(double at, What what, Task task) {
        events.add(new Event(at, planned++, what, task, task.step));
    }
}
