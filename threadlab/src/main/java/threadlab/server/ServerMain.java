package threadlab.server;

import com.google.gson.Gson;
import com.sun.management.OperatingSystemMXBean;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.Socket;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import threadlab.measure.Memory;

/**
 * The program in the JVM of a {@link ChildServer}: it starts the application, reports where it listens and, when asked,
 * what its JVM uses.
 */
final class ServerMain {

    /** Asks what is used now; {@link #HELD} asks the same after a garbage collection. */
    static final int USED = 'u';

    static final int HELD = 'h';

    private ServerMain() {}

    /**
     * Starts a server and runs until the parent closes the connection.
     *
     * @param args none
     * @throws Exception a fault in this program
     */
    public static void main(String[] args) throws Exception {
        var order = new Gson().fromJson(System.getenv(ServerOrder.VARIABLE), ServerOrder.class);
        try (var parent = new Socket(InetAddress.getLoopbackAddress(), order.door());
                var in = new DataInputStream(parent.getInputStream());
                var out = new DataOutputStream(parent.getOutputStream())) {
            parent.setTcpNoDelay(true);
            out.writeUTF(order.password());
            serve(order, in, out);
        } catch (IOException e) {
            // the parent has closed the connection, or has died
        } catch (RuntimeException | Error e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
        // The parent has died, and the guard of this JVM removes its files and ends it. If the guard fails, this call
        // ends it, because Tomcat's own threads would keep it alive.
        Thread.sleep(10_000);
        Runtime.getRuntime().halt(0);
    }

    private static void serve(ServerOrder order, DataInputStream in, DataOutputStream out)
            throws IOException, ClassNotFoundException {
        int port = 0;
        String fault = "";
        try {
            port = start(order);
        } catch (IllegalStateException e) {
            fault = e.getMessage();
        }
        out.writeInt(port);
        out.writeUTF(fault);
        for (int question = in.read(); question >= 0; question = in.read()) {
            answer(question, out);
        }
    }

    private static int start(ServerOrder order) throws ClassNotFoundException {
        Set<Class<?>> classes = new LinkedHashSet<>();
        for (String name : order.classes()) {
            classes.add(Class.forName(name));
        }
        var context = new SpringLauncher(order.name(), classes, new HashMap<>(order.properties())).launch();
        return ((WebServerApplicationContext) context).getWebServer().getPort();
    }

    private static void answer(int question, DataOutputStream out) throws IOException {
        long heap = question == HELD
                ? Memory.heapInUse()
                : ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
        var system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        out.writeDouble(system.getProcessCpuTime() / 1e9);
        out.writeDouble(ManagementFactory.getCompilationMXBean().getTotalCompilationTime() / 1e3);
        out.writeInt(ManagementFactory.getThreadMXBean().getThreadCount());
        out.writeLong(heap);
        out.flush();
    }
}
