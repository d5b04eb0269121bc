package whatwaits.rules;

import java.io.IOException;
import java.io.Reader;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The threads of one dump in text, of any {@link Form}. */
public final class TextDump {

    final List<ThreadState> threads = new ArrayList<>();
    /** What each of these waits for, by its name: below the threads the JVM says who of them wait for each other. */
    final Map<String, String> wanted = new HashMap<>();
    /** The name of the owner, by what is waited for. */
    final Map<String, String> owners = new HashMap<>();

    final Map<Long, Double> cpuMillis = new HashMap<>();
    /** The number of the first thread of each name. */
    final Map<String, Long> began = new HashMap<>();
    /** The share of a CPU in the life of each thread. */
    final Map<Long, Double> cpus = new HashMap<>();

    /** The age of each thread in seconds, and its address. */
    final Map<Long, Double> ages = new HashMap<>();

    final Map<Long, String> addresses = new HashMap<>();

    final Map<Long, Long> carriers = new HashMap<>();
    /** The threads whose lines are mixed with those of others. */
    final List<String> shuffled = new ArrayList<>();

    /** After so many frames each longer stack ends; 0 if none does. */
    int cut;

    /** Whether the JVM itself says that threads lock each other out. */
    boolean deadlock;

    /** The threads of which the JVM says that they lock each other out, as it prints them there, without numbers. */
    final List<ThreadState> declared = new ArrayList<>();

    /** Whether nothing has been read. */
    boolean isEmpty() {
        return threads.isEmpty() && shuffled.isEmpty() && declared.isEmpty() && wanted.isEmpty();
    }

    /** How many threads it says it has, and how many of them began; 0 if it does not say. */
    int announced;

    int printed;

    /** Whether it stops within a line or a stack, where more must follow. */
    boolean torn;

    boolean all;
    Form form;
    String version;
    String time;
    /** The number of the process; null if it is not named. */
    String pid;

    TextDump(Form form) {
        this.form = form;
    }

    /**
     * {@return the threads of a text; of several dumps in it the last}
     *
     * @param text the dump
     * @param stacks reads its stacks
     * @throws IOException if the text cannot be read
     */
    public static TextDump read(Reader text, DumpReader stacks) throws IOException {
        var all = new Log(stacks).read(text).stream().map(Moment::print).filter(one -> one != null);
        return all.reduce((one, next) -> next).orElseGet(() -> new TextDump(Form.PRINT));
    }

    /** The last thread has been read: adds who owns what, as the JVM says it apart from the threads. */
    void end() {
        declare();
        threads.replaceAll(this::owned);
    }

    /**
     * Adds the threads that the JVM declares a deadlock, where they do not stand above, or without their lock: people
     * paste only these, or the threads were cut off.
     */
    private void declare() {
        // the section may be cut before its stacks
        wanted.forEach((name, what) -> {
            if (Stream.concat(threads.stream(), declared.stream())
                    .noneMatch(one -> one.name().equals(name))) {
                declared.add(new ThreadState(0, name, false, "BLOCKED", 0, what, 0, List.of(), new Stack(List.of())));
            }
        });
        for (ThreadState one : declared) {
            var like = threads.stream()
                    .filter(thread -> thread.name().equals(one.name()))
                    .toList();
            if (like.stream().noneMatch(thread -> one.blocker().equals(thread.blocker()))) {
                var bare =
                        like.stream().filter(thread -> thread.blocker() == null).findFirst();
                bare.ifPresent(threads::remove);
                threads.add(one.withId(bare.map(ThreadState::id).orElse(-1L - threads.size())));
            }
        }
        shuffled.removeIf(name -> declared.stream().anyMatch(one -> one.name().equals(name)));
        declared.clear();
    }

    /** How much of it could be read, in words; null if its end is there. */
    private String cut() {
        if (printed < announced) {
            return printed + " of " + Text.count(announced, "thread") + " could be read";
        }
        return torn ? Text.count(threads.size(), "thread") + " could be read, the last in part" : null;
    }

    /** A thread with the owner that the JVM names below all threads. */
    private ThreadState owned(ThreadState thread) {
        var name = owners.get(thread.blocker());
        if (name == null || thread.owner() != 0) {
            return thread;
        }
        var owner = threads.stream()
                .filter(one -> one.name().equals(name)
                        && (!wanted.containsKey(name) || wanted.get(name).equals(one.blocker())))
                .findFirst();
        return owner.map(one -> thread.ownedBy(one.id())).orElse(thread);
    }

    /** {@return all threads} */
    public List<ThreadState> threads() {
        return threads;
    }

    /** {@return the CPU time of platform threads in milliseconds, by their number; empty where the text has none} */
    public Map<Long, Double> cpuMillis() {
        return cpuMillis;
    }

    /** {@return the carriers of virtual threads, by the numbers of both} */
    public Map<Long, Long> carriers() {
        return carriers;
    }

    /** {@return whether it also has the virtual threads without a carrier} */
    public boolean hasAll() {
        return all;
    }

    /** {@return the release that wrote it, such as 25.0.3+9-LTS; null if it is not named} */
    public String version() {
        return version;
    }

    /** Whether the program has used virtual threads: a command that asks for the scheduler starts one of its threads, too. */
    private boolean hasVirtual() {
        long asked = began.getOrDefault("Attach Listener", Long.MAX_VALUE);
        return began.getOrDefault("VirtualThread-unblocker", Long.MAX_VALUE) < asked
                || began.keySet().stream().anyMatch(one -> one.startsWith(Pool.CARRIERS));
    }

    /** {@return what it lacks, and what has it, in words: one line each} */
    public List<String> missing() {
        var missing = new ArrayList<String>();
        if (form.lacks() != null) {
            missing.add(form.lacks());
        }
        if (cut > 0) {
            missing.add("the rest of stacks that have more than " + Text.count(cut, "frame") + ": " + Form.WHOLE);
        }
        if (cut() != null) {
            missing.add("part of the dump: " + cut());
        }
        if (!shuffled.isEmpty()) {
            var some = shuffled.subList(0, Math.min(SHOWN, shuffled.size()));
            missing.add("the stacks of " + String.join(", ", some)
                    + (some.size() == shuffled.size() ? "" : " and " + (shuffled.size() - some.size()) + " more")
                    + ": their lines are mixed up, and which thread has which cannot be told; " + Form.WHOLE);
        }
        return missing;
    }

    /** Who has computed all its life, which is too short to say that it goes on; what one dump cannot tell, in words. */
    List<String> young() {
        return threads.stream()
                .filter(one -> !one.virtual() && !Pool.isJvms(one.name()) && ages.containsKey(one.id()))
                .filter(one -> ages.get(one.id()) >= SECOND && ages.get(one.id()) < Thresholds.LIFE)
                .filter(one -> cpuMillis.get(one.id()) >= 1e3 * Thresholds.FULL * ages.get(one.id()))
                .map(one -> "whether " + one.name() + " goes on computing, at "
                        + one.stack().where() + ": it has used "
                        + Text.rounded(Math.min(1, cpuMillis.get(one.id()) / 1e3 / ages.get(one.id())), 3)
                        + " of a CPU in its life of " + Text.rounded(ages.get(one.id()), 3)
                        + " s, which is short; take another dump")
                .limit(SHOWN)
                .toList();
    }

    private static final double SECOND = 1;

    private static final int SHOWN = 4;

    /** {@return when it was taken, as it says; null if it does not} */
    public String time() {
        return time;
    }

    /** {@return the feature version of its Java; 0 if it does not name it} */
    public int java() {
        return version == null ? 0 : Integer.parseInt(version.split("\\D", 2)[0]);
    }

    /**
     * {@return the threads as one dump}
     *
     * @param java the feature version of their Java
     * @param heading what they are, in words
     */
    public ThreadDump dump(int java, String heading) {
        var besides = new ThreadDump.Besides(!all && hasVirtual(), !shuffled.isEmpty(), deadlock, cpus, false, cut());
        return new ThreadDump(List.of(new Container("<root>", null, threads)), java, heading, besides);
    }

    /**
     * {@return a dump with what it lacks: of Java 21 to 24 states, locks and carriers, of all the owners that the JVM
     * names where threads wait for each other}
     *
     * @param dump of the same JVM at almost the same moment
     */
    public ThreadDump complete(ThreadDump dump) {
        var known = new HashMap<Long, ThreadState>();
        threads.forEach(thread -> known.put(thread.id(), thread));
        var owners = owners(dump, known);
        var complete = dump.containers().stream()
                .map(one -> new Container(
                        one.name(),
                        one.parent(),
                        one.threads().stream()
                                .map(thread -> complete(thread, known.get(thread.id()), owners))
                                .toList()));
        return dump.with(complete.toList()).declaring(deadlock);
    }

    /** Who owns what threads of a dump wait for, by what that dump calls it, where those that wait stand here, too. */
    private Map<String, Long> owners(ThreadDump dump, Map<Long, ThreadState> known) {
        var holders = new HashMap<String, Long>();
        threads.forEach(thread -> thread.holds().stream()
                .filter(lock -> !lock.equals(thread.blocker()))
                .forEach(lock -> holders.put(lock, thread.id())));
        var owners = new HashMap<String, Long>();
        var there = dump.byId();
        for (var thread : dump.threads()) {
            var printed = known.get(thread.id());
            if (thread.blocker() != null && thread.isStillAt(printed)) {
                long owner = printed.owner() == 0 ? holders.getOrDefault(printed.blocker(), 0L) : printed.owner();
                // who waits in the dump, and no longer here, may own what it had waited for
                var then = there.get(owner);
                boolean same = then == null || then.blocker() == null || then.isStillAt(known.get(owner));
                if (owner != 0 && same) {
                    owners.put(thread.blocker(), owner);
                }
            }
        }
        return owners;
    }

    private ThreadState complete(ThreadState one, ThreadState printed, Map<String, Long> owners) {
        if (one.state() != null) {
            boolean named = one.owner() == 0 && owners.containsKey(one.blocker());
            return named ? one.ownedBy(owners.get(one.blocker())) : one;
        }
        if (printed != null && !one.virtual()) {
            return new ThreadState(
                    one.id(),
                    one.name(),
                    false,
                    printed.state(),
                    0,
                    printed.blocker(),
                    printed.owner(),
                    printed.holds(),
                    one.stack());
        }
        // a thread without frames was mounting or unmounting
        boolean runs = one.virtual() || one.stack().where().isEmpty();
        long on = carriers.getOrDefault(one.id(), 0L);
        return new ThreadState(one.id(), one.name(), runs, null, on, null, 0, List.of(), one.stack());
    }
}
