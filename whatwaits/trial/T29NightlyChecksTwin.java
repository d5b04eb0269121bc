import java.io.IOException;
import java.io.OutputStream;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.atomic.AtomicInteger;

public class T29NightlyChecksTwin {

    static final AtomicInteger beats = new AtomicInteger();
    static final AtomicInteger sums = new AtomicInteger();

    static class Heartbeat extends TimerTask {
        @Override
        public void run() {
            beats.incrementAndGet();
        }
    }

    static class Checksum extends TimerTask {
        @Override
        public void run() {
            try {
                Process tool = new ProcessBuilder("sha256sum")
                        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
                OutputStream input = tool.getOutputStream();
                input.write("list of articles\n".getBytes());
                input.close();
                if (tool.waitFor() == 0) {
                    sums.incrementAndGet();
                }
            } catch (IOException e) {
                System.err.println("checksum: " + e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    static class CacheSweep extends TimerTask {
        private final StringBuilder cache = new StringBuilder();

        @Override
        public void run() {
            cache.append(beats.get());
            if (cache.length() > 1000) {
                cache.setLength(0);
            }
        }
    }

    public static void main(String[] args) throws InterruptedException {
        Timer timer = new Timer("housekeeping", true);
        timer.schedule(new Heartbeat(), 100, 100);
        timer.schedule(new CacheSweep(), 150, 250);
        timer.schedule(new Checksum(), 500, 1000);
        Thread.sleep(1500);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
