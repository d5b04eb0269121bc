import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

public class T24PartnerCalls {

    static class Allowance {
        private final Semaphore tokens = new Semaphore(0);
        private final int perSecond;

        Allowance(int perSecond) {
            this.perSecond = perSecond;
        }

        void refill() {
            tokens.drainPermits();
            tokens.release(perSecond);
        }

        void take() throws InterruptedException {
            tokens.acquire();
        }
    }

    public static void main(String[] args) throws Exception {
        var allowance = new Allowance(5);
        var calls = new LongAdder();

        Executors.newSingleThreadScheduledExecutor(r -> Thread.ofPlatform().daemon().name("refill").unstarted(r))
                .scheduleAtFixedRate(allowance::refill, 0, 1, TimeUnit.SECONDS);

        for (int i = 0; i < 40; i++) {
            Thread.ofPlatform().daemon().name("sync-" + i).start(() -> {
                try {
                    while (true) {
                        allowance.take();
                        Thread.sleep(30);
                        calls.increment();
                        Thread.sleep(200);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        Thread.sleep(1500);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
