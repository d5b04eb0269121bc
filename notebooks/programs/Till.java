import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingStream;

/**
 * A till that is slow in three places. It watches itself: every jdk.VirtualThreadPinned event of 20 ms or more is
 * printed as soon as it comes.
 *
 * <p>Arguments: how many milliseconds each wait takes; optionally, how many calls deeper the prices are loaded, as in
 * a framework (0).
 *
 * <p>CSV: thread, operation (that blocked), reason, carrier, milliseconds, cut (whether the stack is incomplete),
 * where (this program's lines on the stack, each once, the last call first). Java 21 does not record the operation,
 * the reason or the carrier.
 */
class Till {

    static int milliseconds;
    static int calls;
    static final Object LEDGER = new Object();
    static final CountDownLatch REPORTING = new CountDownLatch(1);

    static class Prices {
        static final double TEA = load();

        static double load() {
            return deep(calls);
        }

        static double deep(int more) {
            if (more > 0) {
                return deep(more - 1);
            }
            pause();
            return 1.20;
        }
    }

    static void pause() {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static double price() {
        return Prices.TEA;
    }

    static double report() {
        synchronized (LEDGER) {
            REPORTING.countDown();
            pause();
            return 100;
        }
    }

    static double order() {
        synchronized (LEDGER) {
            return 1;
        }
    }

    static String field(RecordedEvent event, String name) {
        return event.hasField(name) ? event.getString(name) : "not recorded";
    }

    static String carrier(RecordedEvent event) {
        return event.hasField("carrierThread") ? event.getThread("carrierThread").getJavaName() : "not recorded";
    }

    static String where(RecordedEvent event) {
        return event.getStackTrace().getFrames().stream()
                .filter(RecordedFrame::isJavaFrame)
                .filter(frame -> frame.getMethod().getType().getName().startsWith("Till"))
                .filter(frame -> frame.getLineNumber() > 0) // no line: the JVM made this method itself
                .map(frame -> frame.getMethod().getName() + ":" + frame.getLineNumber())
                .distinct()
                .collect(Collectors.joining(" < "));
    }

    static void print(RecordedEvent event) {
        System.out.println(String.join(
                ",",
                event.getThread().getJavaName(),
                field(event, "blockingOperation"),
                field(event, "pinnedReason"),
                carrier(event),
                String.valueOf(event.getDuration().toMillis()),
                String.valueOf(event.getStackTrace().isTruncated()),
                where(event)));
    }

    public static void main(String[] arguments) throws InterruptedException {
        milliseconds = Integer.parseInt(arguments[0]);
        calls = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 0;
        try (var stream = new RecordingStream()) {
            stream.enable("jdk.VirtualThreadPinned").withThreshold(Duration.ofMillis(20)).withStackTrace();
            stream.onEvent("jdk.VirtualThreadPinned", Till::print);
            stream.startAsync();
            System.out.println("thread,operation,reason,carrier,milliseconds,cut,where");
            var threads = new ArrayList<>(List.of(
                    Thread.ofVirtual().name("price-1").start(Till::price),
                    Thread.ofVirtual().name("report-1").start(Till::report),
                    Thread.ofVirtual().name("price-2").start(Till::price)));
            REPORTING.await(); // the orders arrive while the report is made
            threads.add(Thread.ofVirtual().name("order-1").start(Till::order));
            threads.add(Thread.ofVirtual().name("order-2").start(Till::order));
            for (var thread : threads) {
                thread.join();
            }
            stream.stop(); // all events have been printed when it returns
        }
    }
}
