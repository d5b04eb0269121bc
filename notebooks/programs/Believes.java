import com.sun.management.HotSpotDiagnosticMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import jdk.management.VirtualThreadSchedulerMXBean;

/**
 * What a JVM assumes about the machine on which it runs.
 *
 * <p>CSV: CPUs, carriers (the parallelism of the scheduler), collector (the first word of its name), heap (its maximum
 * size, MiB).
 */
class Believes {

    public static void main(String[] arguments) {
        var scheduler = ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
        var collector = ManagementFactory.getGarbageCollectorMXBeans().stream()
                .map(GarbageCollectorMXBean::getName)
                .findFirst()
                .orElse("none")
                .split(" ")[0];
        var heap = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .getVMOption("MaxHeapSize")
                .getValue();
        System.out.println("CPUs,carriers,collector,heap");
        System.out.println(Runtime.getRuntime().availableProcessors() + "," + scheduler.getParallelism() + ","
                + (collector.equals("Copy") ? "Serial" : collector) + "," + (Long.parseLong(heap) >> 20));
    }
}
