import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

public class T22RegionSettings {

    static final BlockingQueue<String> inbox = new ArrayBlockingQueue<>(1);
    static final AtomicLong served = new AtomicLong();

    static class Settings {
        static final String REGION = read();

        static String read() {
            try {
                return inbox.take();
            } catch (InterruptedException e) {
                return "none";
            }
        }

        static String region() {
            return REGION;
        }
    }

    static void fetch() {
        try {
            Thread.sleep(300);
            inbox.put("north");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static void request() {
        try {
            while (true) {
                if (!Settings.region().isEmpty()) {
                    served.incrementAndGet();
                }
                Thread.sleep(100);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        Thread.ofVirtual().name("settings-fetch").start(T22RegionSettings::fetch);
        Thread.sleep(100);
        for (int i = 0; i < 200; i++) {
            Thread.ofVirtual().name("request-" + i).start(T22RegionSettings::request);
        }
        Thread.sleep(1500);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
