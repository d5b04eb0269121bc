import java.util.concurrent.CountDownLatch;

/**
 * Starts platform threads that all wait, until the system refuses the next one.
 *
 * <p>Prints how many it has started, after every 500.
 */
public class UntilItStops {

    public static void main(String[] args) {
        CountDownLatch never = new CountDownLatch(1);
        for (int n = 1; ; n++) {
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    never.await();
                } catch (InterruptedException e) {
                    // ends with the JVM
                }
            });
            if (n % 500 == 0) {
                System.out.println(n + " threads");
            }
        }
    }
}
