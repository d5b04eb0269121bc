package threadlab.attach;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** The way to the management beans of a JVM: those of its own for this one, the local agent of another. */
final class Connection implements AutoCloseable {

    private static final String INSTEAD =
            "ask it there (docker exec … jcmd 1 Thread.dump_to_file -format=json FILE) and read the file: Jvm.read(jfr, dump)";

    private final long pid;
    private final JMXConnector connector;
    private final MBeanServerConnection beans;
    private final String version;
    private final String main;

    private Connection(long pid, JMXConnector connector, MBeanServerConnection beans) throws IOException {
        this.pid = pid;
        this.connector = connector;
        this.beans = beans;
        var runtime = ManagementFactory.newPlatformMXBeanProxy(
                beans, ManagementFactory.RUNTIME_MXBEAN_NAME, java.lang.management.RuntimeMXBean.class);
        version = runtime.getSpecVersion();
        main = runtime.getSystemProperties()
                .getOrDefault("sun.java.command", "")
                .split("\\s+", 2)[0];
    }

    /**
     * Attaches.
     *
     * @throws IllegalArgumentException with one sentence that says why not, and what to do
     */
    static Connection to(long pid) {
        try {
            if (pid == ProcessHandle.current().pid()) {
                return new Connection(pid, null, ManagementFactory.getPlatformMBeanServer());
            }
            refuse(pid);
            var connector = JMXConnectorFactory.connect(new JMXServiceURL(address(pid)));
            try {
                return new Connection(pid, connector, connector.getMBeanServerConnection());
            } catch (IOException | RuntimeException e) {
                connector.close();
                throw e;
            }
        } catch (AttachNotSupportedException e) {
            throw new IllegalArgumentException(
                    "process %d lets nobody attach (%s): start it without -XX:+DisableAttachMechanism"
                            .formatted(pid, e.getMessage()));
        } catch (IOException e) {
            throw new IllegalArgumentException("process %d cannot be attached to (%s)%s"
                    .formatted(pid, e.getMessage(), isAlive(pid) ? ": " + INSTEAD : ", for it has ended"));
        }
    }

    private static String address(long pid) throws IOException, AttachNotSupportedException {
        var machine = VirtualMachine.attach(String.valueOf(pid));
        try {
            return machine.startLocalManagementAgent();
        } finally {
            machine.detach();
        }
    }

    private static void refuse(long pid) {
        if (!isAlive(pid)) {
            throw new IllegalArgumentException(
                    "there is no process %d: Jvm.list() shows the JVMs that run".formatted(pid));
        }
        var own = ProcessHandle.current().info().user().orElse("");
        var user = ProcessHandle.of(pid).flatMap(other -> other.info().user()).orElse(own);
        if (!user.equals(own) && !own.equals("root")) {
            throw new IllegalArgumentException(
                    "process %d belongs to the user %s, and only that user may attach to it: %s"
                            .formatted(pid, user, INSTEAD));
        }
        if (!isJvm(pid)) {
            throw new IllegalArgumentException("process %d is no JVM: Jvm.list() shows those that run".formatted(pid));
        }
        if (isElsewhere(pid)) {
            throw new IllegalArgumentException(
                    "process %d runs in a container, with a network of its own: %s".formatted(pid, INSTEAD));
        }
    }

    /** To attach means to send a signal, which ends a process that is no JVM. */
    private static boolean isJvm(long pid) {
        if (VirtualMachine.list().stream().anyMatch(jvm -> jvm.id().equals(String.valueOf(pid)))) {
            return true;
        }
        try (var mapped = Files.lines(Path.of("/proc", String.valueOf(pid), "maps"))) {
            return mapped.anyMatch(line -> line.endsWith("/libjvm.so"));
        } catch (IOException | RuntimeException e) {
            return false;
        }
    }

    private static boolean isElsewhere(long pid) {
        try {
            var own = Files.readSymbolicLink(Path.of("/proc/self/ns/net"));
            return !own.equals(Files.readSymbolicLink(Path.of("/proc", String.valueOf(pid), "ns", "net")));
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isPresent();
    }

    long pid() {
        return pid;
    }

    int java() {
        return Integer.parseInt(version.startsWith("1.") ? version.substring(2) : version);
    }

    MBeanServerConnection beans() {
        return beans;
    }

    ThreadDump dump() {
        try {
            var folder = Files.createTempDirectory("threadlab-dump-");
            var file = folder.resolve("threads.json");
            try {
                ManagementFactory.newPlatformMXBeanProxy(
                                beans,
                                "com.sun.management:type=HotSpotDiagnostic",
                                com.sun.management.HotSpotDiagnosticMXBean.class)
                        .dumpThreads(file.toString(), com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat.JSON);
                return DumpFile.read(file);
            } finally {
                Files.deleteIfExists(file);
                Files.delete(folder);
            }
        } catch (IOException e) {
            throw new IllegalStateException("process %d does not answer: %s".formatted(pid, e.getMessage()), e);
        }
    }

    @Override
    public void close() {
        if (connector != null) {
            try {
                connector.close();
            } catch (IOException e) {
                // the other end has gone before
            }
        }
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "Process %d, %s, on Java %s.", pid, main, version);
    }
}
