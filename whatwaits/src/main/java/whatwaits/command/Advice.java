package whatwaits.command;

import whatwaits.rules.Limit;

/**
 * What to do about a limit, and the cell of the course that shows it.
 *
 * @param todo one or two sentences
 * @param cell a link below {@code notebooks/}
 */
record Advice(String todo, String cell) {

    static Advice on(Limit.Kind kind) {
        return switch (kind) {
            case LOCK ->
                new Advice(
                        "Do less while the lock is held, above all no waiting, or give each key a lock of its own; more"
                                + " threads will not help.",
                        "deeper/see-who-gets-the-lock.ipynb#cell-id=claim-starve");
            case PERMITS ->
                new Advice(
                        "Find out what the permits protect: if it can bear more, allow more; otherwise refuse early"
                                + " instead of waiting.",
                        "06-keep-a-server-standing.ipynb#cell-id=claim-slow-permits");
            case CONNECTIONS ->
                new Advice(
                        "Hold a connection only while a statement runs, not during other calls; enlarge the pool only"
                                + " if the database has idle capacity.",
                        "05-find-who-holds-the-connection.ipynb#cell-id=claim-wide");
            case CLIENT_CONNECTIONS ->
                new Advice(
                        "Set the client's maximum of connections to what the other side can bear, and set a time limit"
                                + " for getting one.",
                        "08-avoid-the-traps.ipynb#cell-id=limit-claim-semaphore");
            case THREADS ->
                new Advice(
                        "If these tasks wait rather than compute, run them on virtual threads and put the limit where"
                                + " the scarce thing is; otherwise make them shorter.",
                        "01-measure-littles-law.ipynb#cell-id=pool-claim");
            case CARRIERS ->
                new Advice(
                        "Move what holds the carriers (files, native calls, class initializers, before Java 24 also"
                                + " synchronized) to platform threads of their own.",
                        "07-find-what-pins.ipynb#cell-id=claim-scheduler");
            case CPUS ->
                new Advice(
                        "Compute less for each request, or limit how many compute at the same time; more threads of"
                                + " any kind will not help.",
                        "08-avoid-the-traps.ipynb#cell-id=cpu-claim");
            case QUEUE ->
                new Advice(
                        "Make whoever takes from it faster, or take by more threads; a larger queue only lets them wait"
                                + " longer.",
                        "06-keep-a-server-standing.ipynb#cell-id=claim-slow-permits");
            case REMOTE ->
                new Advice(
                        "Set a time limit for the answer, and look at the other program: these threads only wait for it.",
                        "06-keep-a-server-standing.ipynb#cell-id=claim-slow-permits");
            case THREAD ->
                new Advice(
                        "Look at that line: if it should end, find out why it does not; if it is work, divide it among"
                                + " threads.",
                        "08-avoid-the-traps.ipynb#cell-id=cpu-claim");
            case MEMORY ->
                new Advice(
                        "See what fills it, with jcmd PID GC.class_histogram: keep less of that, or allow a larger heap if"
                                + " the container has room for it.",
                        "14-live-in-a-small-pod.ipynb#cell-id=killed-finding");
            case MACHINE ->
                new Advice(
                        "Find the other programs that keep the CPUs busy, with top; this service is not the cause.",
                        "14-live-in-a-small-pod.ipynb#cell-id=burst-claim-wait");
        };
    }

    static Advice onCircle() {
        return new Advice(
                "None of these threads goes on: take the locks in the same order everywhere, or with tryLock and a"
                        + " time limit; restart to get out of it.",
                "07-find-what-pins.ipynb#cell-id=claim-deadlock");
    }

    static Advice onPinned() {
        return new Advice(
                "Run what waits there on platform threads of its own.",
                "07-find-what-pins.ipynb#cell-id=claim-scheduler");
    }
}
