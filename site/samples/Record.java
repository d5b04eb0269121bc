import java.io.File;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;

/**
 * Records two samples of the page that reads dumps: java Record.java circle circle.json, then java Record.java lock
 * lock.txt. Each is what jcmd says of this program. The other samples are of whatwaits/dumps/Forms.java: circle-compose.log,
 * lock-actuator.json, circle-debugger.txt and circle-javacore.txt.
 */
public class Record {

    static class Stock {
        synchronized void take(Till till, CountDownLatch both) {
            meet(both);
            till.pay();
        }

        synchronized int count() {
            return 0;
        }
    }

    static class Till {
        synchronized void refund(Stock stock, CountDownLatch both) {
            meet(both);
            stock.count();
        }

        synchronized void pay() {}
    }

    static class Report {
        private static final Object FILE = new Object();

        static void write() throws InterruptedException {
            synchronized (FILE) {
                Thread.sleep(600_000);
            }
        }
    }

    static void meet(CountDownLatch both) {
        both.countDown();
        try {
            both.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("circle")) {
            circle();
        } else {
            lock();
        }
        Thread.sleep(1_000);
        var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        var pid = String.valueOf(ProcessHandle.current().pid());
        var builder = args[0].equals("circle")
                ? new ProcessBuilder(jcmd, pid, "Thread.dump_to_file", "-overwrite", "-format=json", args[1])
                : new ProcessBuilder(jcmd, pid, "Thread.print", "-l").redirectOutput(new File(args[1]));
        builder.start().waitFor();
        System.exit(0);
    }

    private static void circle() {
        var both = new CountDownLatch(2);
        var till = new Till();
        var stock = new Stock();
        Thread.ofVirtual().name("order-1").start(() -> stock.take(till, both));
        Thread.ofPlatform().name("refund-1").daemon().start(() -> till.refund(stock, both));
        for (int i = 2; i <= 41; i++) {
            Thread.ofVirtual().name("order-" + i).start(() -> {
                meet(both);
                stock.count();
            });
        }
    }

    private static void lock() {
        var pool = Executors.newFixedThreadPool(10, task -> {
            var thread = new Thread(task);
            thread.setDaemon(true);
            return thread;
        });
        for (int i = 0; i < 10; i++) {
            pool.submit(() -> {
                Report.write();
                return null;
            });
        }
    }
}
