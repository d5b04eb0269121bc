import java.util.concurrent.CountDownLatch;

/**
 * Starts platform threads that all wait, until the system refuses the next one.
 *
 * <p>Argument: the most threads that it may start, which this machine must be able to run: not every system refuses in
 * time. Prints how many it has started after every 500.
 */
public class UntilItStops {

    public static void main(String[] args) {
        int most = Integer.parseInt(args[0]);
        CountDownLatch never = new CountDownLatch(1);
        for (int n = 1; n <= most; n++) {
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
        System.out.println("no limit of the system was met by " + most + " threads, the most that it may start");
        System.exit(2);
    }
}
