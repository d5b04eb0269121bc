package threadlab.server;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Set;
import threadlab.child.Parent;
import threadlab.measure.Memory;

/**
 * The program in the JVM of a {@link ChildServer}: it starts the application, answers where it listens and, when asked,
 * what its JVM uses.
 */
final class ServerMain {
    private ServerMain() {}

    /**
     * Starts a server and answers questions about it.
     *
     * @param args none
     * @throws Exception a fault in this program
     */
    public static void main(String[] args) throws Exception {
        try {
            Parent.answer(start(Parent.order(ServerOrder.class)));
        } catch (RuntimeException | Error e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
        Parent.answerQuestions(ServerOrder.Question.class, ServerMain::usage);
    }

    private static ServerOrder.Started start(ServerOrder order) throws ClassNotFoundException {
        Set<Class<?>> classes = new LinkedHashSet<>();
        for (String name : order.classes()) {
            classes.add(Class.forName(name));
        }
        try {
            var context = new SpringLauncher(order.name(), classes, new HashMap<>(order.properties())).launch();
            return new ServerOrder.Started(SpringLauncher.port(context), "");
        } catch (IllegalStateException e) {
            return new ServerOrder.Started(0, e.getMessage());
        }
    }

    private static ServerUsage usage(ServerOrder.Question question) {
        var memory = ManagementFactory.getMemoryMXBean();
        long heap = question.heapInUse()
                ? Memory.heapInUse()
                : memory.getHeapMemoryUsage().getUsed();
        var system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        double compiled = ManagementFactory.getCompilationMXBean().getTotalCompilationTime() / 1e3;
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();
        return new ServerUsage(system.getProcessCpuTime() / 1e9, compiled, threads, heap);
    }
}
