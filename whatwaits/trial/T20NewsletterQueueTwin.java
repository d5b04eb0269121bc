import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

public class T20NewsletterQueueTwin {

    private static final int SENDERS = 20;

    private final ThreadPoolExecutor senders = new ThreadPoolExecutor(SENDERS, SENDERS, 1, TimeUnit.MINUTES,
            new LinkedBlockingQueue<>());

    void send(int number) {
        talk("MAIL FROM:<news@example.org>");
        talk("RCPT TO:<reader" + number + "@example.org>");
        talk("DATA");
        talk("QUIT");
    }

    private void talk(String command) {
        try {
            Thread.sleep(40 + command.length() / 10);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void feed() {
        for (int number = 0; ; number++) {
            int reader = number;
            senders.execute(() -> send(reader));
            if (number > 6_000) {
                return;
            }
            LockSupport.parkNanos(20_000_000);
        }
    }

    public static void main(String[] args) throws Exception {
        T20NewsletterQueueTwin queue = new T20NewsletterQueueTwin();
        Thread feeder = new Thread(queue::feed, "subscriber-list");
        feeder.setDaemon(true);
        feeder.start();
        Thread.sleep(1500);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
