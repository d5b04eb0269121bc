import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.ForkJoinPool;
import jdk.management.VirtualThreadSchedulerMXBean;

/**
 * Runs in a pod with a quota of one CPU, which is then resized to two, as Kubernetes does it: the control group gets
 * another quota, and the JVM runs on. What does the JVM notice by itself?
 *
 * <p>CSV: when (at the start; after the resize; after a call of setParallelism), CPUs, carriers, common pool (its
 * parallelism), compiler threads (chosen at the start).
 */
class Resized {

    static final VirtualThreadSchedulerMXBean SCHEDULER =
            ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);

    /** Gives the control group of this process a quota, in ms of each 100 ms. */
    static void quota(int ms) throws IOException {
        var group = Path.of(System.getenv("THREADLAB_CPU_STAT")).getParent();
        var second = group.resolve("cpu.max"); // version 2
        if (Files.exists(second)) {
            Files.writeString(second, ms * 1_000 + " 100000");
        } else {
            Files.writeString(group.resolve("cpu.cfs_quota_us"), String.valueOf(ms * 1_000));
        }
    }

    static void print(String when) {
        System.out.printf("%s,%d,%d,%d,%s%n",
                when,
                Runtime.getRuntime().availableProcessors(),
                SCHEDULER.getParallelism(),
                ForkJoinPool.commonPool().getParallelism(),
                ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                        .getVMOption("CICompilerCount")
                        .getValue());
    }

    public static void main(String[] arguments) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        Thread.ofVirtual().start(() -> {}).join(); // the scheduler is there
        System.out.println("when,CPUs,carriers,common pool,compiler threads");
        print("at the start");
        quota(200);
        Thread.sleep(100); // the JVM keeps the number of CPUs for 20 ms
        print("resized");
        SCHEDULER.setParallelism(Runtime.getRuntime().availableProcessors());
        print("setParallelism");
    }
}
