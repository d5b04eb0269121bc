import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * One virtual thread waits, and so does its only carrier: for standard input, or for the address of a name. After 0.2 s
 * a newcomer comes, a virtual thread. Measures how long it waits for a carrier.
 *
 * <p>Argument: "System.in", which stays open and empty in a second JVM of this program, or "DNS", which waits only where
 * the system's resolver is slow.
 *
 * <p>CSV: contender (virtual and Java version), kind (virtual), java (version), what, milliseconds (the newcomer's wait,
 * at most 1,000; -1 if after 0.2 s nothing waited any more).
 */
class OneWait {

    static final int MOST = 1_000;

    /** How long a newcomer waits for a carrier beside a thread that waits; -1 if that thread does not wait. */
    static long newcomer(Callable<?> wait) throws Exception {
        Thread.ofVirtual().start(() -> {}).join(); // once for nothing: the first thread waits for classes, too
        var waiting = Thread.ofVirtual().start(() -> {
            try {
                wait.call();
            } catch (UnknownHostException nobody) {
                // the resolver has answered
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        Thread.sleep(200);
        if (!waiting.isAlive()) {
            return -1;
        }
        var begun = new CountDownLatch(1);
        long asked = System.nanoTime();
        Thread.ofVirtual().start(begun::countDown);
        begun.await(MOST, TimeUnit.MILLISECONDS);
        return Math.round((System.nanoTime() - asked) / 1e6);
    }

    /** Runs this program in a JVM whose standard input this one holds open, and returns what it prints. */
    static long inAnotherJvm() throws Exception {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var process = new ProcessBuilder(
                        java,
                        "-Djdk.virtualThreadScheduler.parallelism=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        OneWait.class.getName(),
                        "read")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (var output = process.inputReader()) {
            return Long.parseLong(output.readLine());
        } finally {
            process.destroyForcibly();
        }
    }

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        var what = arguments[0];
        if (what.equals("read")) {
            System.out.println(newcomer(() -> System.in.read()));
            System.exit(0); // the reader still waits
        }
        long milliseconds =
                what.equals("DNS") ? newcomer(() -> InetAddress.getByName("slow.example.com")) : inAnotherJvm();
        int java = Runtime.version().feature();
        System.out.println("contender,kind,java,what,milliseconds");
        System.out.printf("virtual on Java %d,virtual,%d,%s,%d%n", java, java, what, milliseconds);
        System.exit(0); // a look-up may still wait
    }
}
