import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Starts 100 threads that each send a mail (a wait of 200 ms), then returns from main or waits for them.
 *
 * <p>Arguments: platform or virtual; return (main leaves its threads behind) or close (main waits).
 *
 * <p>CSV, printed when the JVM ends: contender, kind, ending, started, sent (mails).
 */
class Mails {

    public static void main(String[] arguments) {
        var started = new AtomicInteger();
        var sent = new AtomicInteger();
        Runtime.getRuntime().addShutdownHook(Thread.ofPlatform().unstarted(() -> {
            System.out.println("contender,kind,ending,started,sent");
            var kind = arguments[0];
            System.out.println(String.join(
                    ",", kind, kind, arguments[1], String.valueOf(started.get()), String.valueOf(sent.get())));
        }));
        ThreadFactory threads = arguments[0].equals("virtual")
                ? Thread.ofVirtual().factory()
                : Thread.ofPlatform().factory();
        var executor = Executors.newThreadPerTaskExecutor(threads);
        for (int i = 0; i < 100; i++) {
            started.incrementAndGet();
            executor.submit(() -> {
                Thread.sleep(200);
                return sent.incrementAndGet();
            });
        }
        if (arguments[1].equals("close")) {
            executor.close(); // waits until all tasks have ended
        }
    }
}
