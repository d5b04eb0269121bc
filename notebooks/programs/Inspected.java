import java.util.ArrayList;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import one.profiler.AsyncProfiler;
import threadlab.child.Parent;

/**
 * Threads for a heap dump, a debugger and a profiler to look at.
 *
 * <p>Arguments: the most threads that one question may start. A question is two words and perhaps a number:
 *
 * <ul>
 *   <li>{@code virtual wait 200}: 200 threads wait from now on, each with an order; nothing refers to them.
 *   <li>{@code virtual start 500}: 500 threads start and end.
 *   <li>{@code virtual pay 1}: a thread starts and calls {@link #pay}.
 *   <li>{@code virtual profile 50}: 50 threads wait for a second under async-profiler, which samples all threads by the
 *       clock; the answer is how many samples it has with {@link #serve} in them.
 *   <li>{@code virtual ticks 50}: how often another virtual thread woke in the next 50 times 10 ms.
 * </ul>
 */
class Inspected {

    record Order(int number) {}

    record Told(double value) {}

    static final AtomicInteger TICKS = new AtomicInteger();
    static volatile int served;
    static int most;

    public static void main(String[] arguments) throws InterruptedException {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        most = Integer.parseInt(arguments[0]);
        Thread.ofVirtual().name("ticks").start(() -> {
            while (true) {
                LockSupport.parkNanos(10_000_000);
                TICKS.incrementAndGet();
            }
        });
        Parent.answer(new Told(0));
        Parent.answerQuestions(String.class, Inspected::answer);
        System.exit(0);
    }

    static Told answer(String question) {
        var words = question.split(" ");
        var kind = words[0].equals("virtual") ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
        int n = Math.min(most, Integer.parseInt(words[2]));
        try {
            return new Told(
                    switch (words[1]) {
                        case "wait" -> letWait(kind, n);
                        case "start" -> start(kind, n);
                        case "pay" -> {
                            kind.start(() -> pay(new Order(1)));
                            yield 1;
                        }
                        case "profile" -> profile(kind, n);
                        case "ticks" -> {
                            int before = TICKS.get();
                            Thread.sleep(10L * n);
                            yield TICKS.get() - before;
                        }
                        default -> throw new IllegalArgumentException("no question " + question);
                    });
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static int letWait(Thread.Builder kind, int n) throws InterruptedException {
        var waiting = new CountDownLatch(n);
        var threads = new ArrayList<Thread>();
        for (int i = 0; i < n; i++) {
            int number = i;
            threads.add(kind.start(() -> serve(new Order(number), waiting)));
        }
        waiting.await();
        while (threads.stream().anyMatch(thread -> thread.getState() != Thread.State.WAITING)) {
            Thread.sleep(10);
        }
        Thread.sleep(100); // the last one has left its carrier, too
        return n;
    }

    /** Waits for ever, and would use its order afterwards. */
    static void serve(Order order, CountDownLatch waiting) {
        waiting.countDown();
        while (served >= 0) {
            LockSupport.park();
        }
        served += order.number();
    }

    static void pay(Order order) {
        served += order.number();
    }

    static int start(Thread.Builder kind, int n) throws InterruptedException {
        for (int i = 0; i < n; i++) {
            kind.start(() -> {}).join();
        }
        return n;
    }

    static double profile(Thread.Builder kind, int n) throws Exception {
        if (System.getProperty("os.name").startsWith("Windows")) {
            return Double.NaN; // async-profiler has no library for it
        }
        var profiler = AsyncProfiler.getInstance();
        letWait(kind, n);
        profiler.execute("start,event=wall,interval=10ms");
        Thread.sleep(1_000);
        return Arrays.stream(profiler.execute("stop,collapsed").split("\n"))
                .filter(line -> line.contains("Inspected.serve"))
                .mapToLong(line -> Long.parseLong(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }
}
