package whatwaits.look;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.EOFException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.UndeclaredThrowableException;
import java.net.SocketException;
import java.nio.file.FileSystemException;
import java.rmi.RemoteException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServerConnection;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import whatwaits.rules.Owner;

/** The management beans of a JVM: this one's own, or those behind the local agent of another. */
final class Connection implements AutoCloseable {

    static final String INSTEAD =
            "take a dump there (as its user, or docker exec … jcmd 1 Thread.dump_to_file -format=json FILE), copy the"
                    + " file here and read it with Jvm.read(FILE)";

    private static final Duration SILENT = Duration.ofSeconds(30);

    final long pid;
    final MBeanServerConnection beans;
    final String main;
    final String version;

    /** Its release, such as 25.0.1. */
    final Runtime.Version release;

    /** Whose code its classes are. */
    final Function<String, Owner> owners;

    /** Null for this JVM itself. */
    private final Agent agent;

    private Watch watch;
    private volatile boolean closed;

    private Connection(long pid, Agent agent, MBeanServerConnection beans, Properties properties, Set<String> callers) {
        this.pid = pid;
        this.agent = agent;
        this.beans = beans;
        version = properties.getProperty("java.specification.version");
        // 1.8.0_292, as Java 8 calls itself, is not in today's version format
        release = Runtime.Version.parse(
                version.startsWith("1.") ? version.substring(2) : properties.getProperty("java.version"));
        main = LocalJvm.main(properties.getProperty("sun.java.command", ""), callers);
        var classPath = properties.getProperty("java.class.path", "");
        var folder = properties.getProperty("user.dir", "");
        owners = agent == null ? Places.here() : Places.of(main, classPath, folder, callers);
    }

    static ObjectName name(String name) {
        try {
            return new ObjectName(name);
        } catch (MalformedObjectNameException e) {
            throw new IllegalArgumentException(e);
        }
    }

    /**
     * Attaches.
     *
     * @throws IllegalArgumentException with one sentence that says why not, and what to do
     */
    static Connection to(long pid, Set<String> callers) {
        try {
            if (pid == ProcessHandle.current().pid()) {
                return new Connection(
                        pid, null, ManagementFactory.getPlatformMBeanServer(), System.getProperties(), callers);
            }
            LocalProcess.requireOpenJvm(pid);
            var machine = attached(pid);
            Properties properties;
            Agent agent;
            try {
                properties = machine.getSystemProperties();
                agent = Agent.of(pid, machine);
            } finally {
                machine.detach();
            }
            return new Connection(pid, agent, agent.connector.getMBeanServerConnection(), properties, callers);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalArgumentException("interrupted before process %d answered".formatted(pid));
        } catch (AttachNotSupportedException e) {
            throw refusal(
                    pid,
                    "process %d refuses to be attached to (%s): start it without -XX:+DisableAttachMechanism, or"
                            + " resume it if it is suspended",
                    e);
        } catch (IllegalArgumentException e) {
            throw e;
        } catch (IOException | RuntimeException e) {
            throw refusal(pid, "process %d cannot be attached to (%s): " + INSTEAD, e);
        }
    }

    private static IllegalArgumentException refusal(long pid, String sentence, Exception why) {
        var line = String.valueOf(why.getMessage()).strip().replaceFirst("(?s)\\R.*", "");
        return new IllegalArgumentException(
                LocalProcess.remains(pid)
                        ? sentence.formatted(pid, line)
                        : "process %d has ended: Jvm.list() shows the running JVMs".formatted(pid));
    }

    /** The JDK's attach swallows interrupts, so another thread waits for it. */
    private static VirtualMachine attached(long pid)
            throws IOException, AttachNotSupportedException, InterruptedException {
        var attaching = new FutureTask<>(() -> VirtualMachine.attach(String.valueOf(pid)));
        Thread.ofPlatform().daemon().name("attaches to process " + pid).start(attaching);
        try {
            return attaching.get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case AttachNotSupportedException refused -> throw refused;
                case IOException failed -> throw failed;
                default -> throw new IllegalStateException(e.getCause());
            }
        }
    }

    int java() {
        return release.feature();
    }

    /** A proxy for a bean. Its calls go to the JVM; creating it sends none. */
    <T> T bean(String name, Class<T> type) {
        return JMX.newMXBeanProxy(beans, name(name), type);
    }

    /**
     * Shared by all callers: finding the beans and the thread names costs the watched JVM more CPU time than a second
     * of samples.
     */
    synchronized Watch watch() throws IOException {
        if (watch == null) {
            watch = new Watch(this);
        }
        return watch;
    }

    /**
     * Asks the JVM, in a separate thread: a read from a socket cannot be interrupted and has no time limit.
     *
     * @param most how long the answer may take in addition to the usual response time
     * @throws IllegalStateException if the JVM has ended, or does not answer
     */
    <T> T ask(Duration most, Callable<T> question) throws InterruptedException {
        if (closed) {
            throw new IllegalStateException(
                    "the connection to process %d is closed: attach again with Jvm.attach(%d)".formatted(pid, pid));
        }
        var asked = new FutureTask<>(question);
        var thread = Thread.ofPlatform().daemon().name("asks process " + pid).start(asked);
        try {
            return asked.get(most.plus(SILENT).toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IllegalStateException(
                    "process %d (%s) did not answer within %d s: resume it if it is suspended, or try again when it is less busy"
                            .formatted(pid, main, most.plus(SILENT).toSeconds()));
        } catch (ExecutionException e) {
            var thrown = e.getCause();
            var cause = thrown instanceof UndeclaredThrowableException ? thrown.getCause() : thrown;
            if (cause instanceof IOException || cause instanceof JMException) {
                throw new IllegalStateException(
                        LocalProcess.remains(pid)
                                ? "process %d (%s) %s".formatted(pid, main, problem(cause))
                                : "process %d (%s) has ended: Jvm.list() shows the running JVMs".formatted(pid, main),
                        cause);
            }
            if (cause instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            throw new IllegalStateException(cause);
        } finally {
            thread.interrupt();
        }
    }

    /** What went wrong, and the way out: only who breaks off the talk does not answer. */
    static String problem(Throwable cause) {
        var said = String.valueOf(cause.getMessage()).strip().replaceFirst("(?s)\\R.*", "");
        if (cause instanceof InstanceNotFoundException) {
            return "has no management bean %s: its Java was made without the module that has it (jlink --add-modules jdk.jfr,jdk.management.jfr,jdk.management)"
                    .formatted(said);
        }
        if (cause instanceof RemoteException || cause instanceof EOFException || cause instanceof SocketException) {
            return "does not answer: " + said;
        }
        if (cause instanceof FileSystemException file) {
            return "and this one do not share the file %s: %s".formatted(file.getFile(), INSTEAD);
        }
        return said.contains("No space left")
                ? "cannot write a dump, because the disk is full (%s): free room there, or set java.io.tmpdir here to another folder"
                        .formatted(said)
                : "answers with an error, %s (%s): %s"
                        .formatted(cause.getClass().getSimpleName(), said, INSTEAD);
    }

    @Override
    public synchronized void close() {
        if (!closed && agent != null) {
            agent.leave();
        }
        closed = true;
    }

    /** What can be seen there, and what cannot. */
    @Override
    public String toString() {
        var lines = new ArrayList<String>();
        lines.add("Process %d, %s, on Java %s.".formatted(pid, main, version));
        if (java() < 21) {
            lines.add("It has no virtual threads, which came with Java 21: dump and watch show its platform threads.");
        } else if (java() < Watch.SCHEDULER_SINCE) {
            lines.add("Seen: threads, CPU time, pauses, pins, dumps. Not seen before Java 24: mounted, queued,"
                    + " parallelism, pool size, and the reason of a pin. A virtual thread that waits to enter"
                    + " synchronized looks like one that computes.");
        } else {
            lines.add("Seen: threads, CPU time, pauses, the scheduler, pins, dumps.");
        }
        if (java() == Dumps.DUMPS_WHAT_MOVES) {
            lines.add("A dump may crash it while its virtual threads are busy: a bug in Java 25 (JDK-8364343).");
        }
        if (agent != null) {
            lines.add(
                    agent.isOwn()
                            ? "Until this is closed, its management agent listens on a port of the loopback interface,"
                                    + " with a password that only this program knows. Its attach listener stays until"
                                    + " that JVM ends."
                            : "It has a management agent of its own, which is used and left as it is.");
        }
        return String.join(System.lineSeparator(), lines);
    }
}
