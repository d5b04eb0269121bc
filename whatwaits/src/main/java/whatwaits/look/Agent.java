package whatwaits.look;

import com.sun.tools.attach.AttachOperationFailedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.server.RMISocketFactory;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * The management agent of a watched JVM. The JDK's local agent would listen on all interfaces, without a password, until
 * that JVM ends. So this starts its remote agent, which can do better: on one port of the loopback interface, with a
 * password that is read once and then deleted, until nobody here watches that JVM any more. One that the program has
 * started itself is used as it is.
 */
final class Agent {

    private static final Duration SOON = Duration.ofSeconds(10);
    private static final String LOCAL = "com.sun.management.jmxremote.localConnectorAddress";
    private static final String USER = "whatwaits";
    private static final String LOOPBACK = "127.0.0.1";

    /** Another program may take a port that was just found free. */
    private static final int TRIES = 3;

    private static final Map<Long, Agent> RUNNING = new HashMap<>();
    private static final Set<Integer> PORTS = ConcurrentHashMap.newKeySet();

    final JMXConnector connector;
    private final long pid;

    /** 0 if the program has started it. */
    private final int port;

    private int users;

    private Agent(long pid, int port, JMXConnector connector) {
        this.pid = pid;
        this.port = port;
        this.connector = connector;
    }

    static {
        // what is not closed when this JVM ends is closed then
        Runtime.getRuntime().addShutdownHook(new Thread(Agent::stopAll, "stops agents"));
    }

    /** The agent of a JVM, which is started unless it runs; each call needs a {@link #leave}. */
    static Agent of(long pid, VirtualMachine machine) throws IOException, InterruptedException {
        synchronized (RUNNING) {
            var agent = RUNNING.get(pid);
            if (agent == null || !agent.answers()) {
                agent = started(pid, machine);
                RUNNING.put(pid, agent);
            }
            agent.users++;
            return agent;
        }
    }

    private boolean answers() {
        try {
            connector.getMBeanServerConnection().getDefaultDomain();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static Agent started(long pid, VirtualMachine machine) throws IOException, InterruptedException {
        var local = machine.getAgentProperties().getProperty(LOCAL);
        if (local != null) {
            return new Agent(pid, 0, JMXConnectorFactory.connect(new JMXServiceURL(local)));
        }
        try (var exchange = Exchange.with(Target.of(pid), 0)) {
            if (exchange == null) {
                throw new IOException("no folder for temporary files is shared with it");
            }
            var secret = new byte[16];
            new SecureRandom().nextBytes(secret);
            var password = HexFormat.of().formatHex(secret);
            var options = new Properties();
            options.put("host", LOOPBACK);
            options.put("ssl", "false");
            options.put("registry.ssl", "false");
            options.put("autodiscovery", "false");
            options.put("authenticate", "true");
            options.put("password.file", exchange.write("password", USER + " " + password + "\n"));
            options.put("access.file", exchange.write("access", USER + " readwrite\n"));
            int port = start(machine, options);
            PORTS.add(port);
            reachLoopback();
            var address = "service:jmx:rmi:///jndi/rmi://%s:%d/jmxrmi".formatted(LOOPBACK, port);
            Map<String, Object> known = Map.of(JMXConnector.CREDENTIALS, new String[] {USER, password});
            return new Agent(pid, port, JMXConnectorFactory.connect(new JMXServiceURL(address), known));
        }
    }

    private static int start(VirtualMachine machine, Properties options) throws IOException {
        for (int i = 1; ; i++) {
            int port;
            try (var free = new ServerSocket(0, 1, InetAddress.getByName(LOOPBACK))) {
                port = free.getLocalPort();
            }
            // one that it names is given back when the agent stops; one that the system chooses is not
            options.put("port", String.valueOf(port));
            options.put("rmi.port", String.valueOf(port));
            var all = new Properties();
            options.forEach((name, value) -> all.put("com.sun.management.jmxremote." + name, value));
            try {
                machine.startManagementAgent(all);
                return port;
            } catch (AttachOperationFailedException e) {
                if (String.valueOf(e.getMessage()).contains("already started")) {
                    throw new IllegalArgumentException(
                            "process %s is watched by another program, or jcmd has started its management agent: close that one, or stop the agent with jcmd %s ManagementAgent.stop"
                                    .formatted(machine.id(), machine.id()));
                }
                if (i == TRIES) {
                    throw e;
                }
            }
        }
    }

    /** The agent names the machine's address, on which it does not listen, to its clients. */
    private static void reachLoopback() {
        if (RMISocketFactory.getSocketFactory() == null) {
            try {
                RMISocketFactory.setSocketFactory(new Loopback());
            } catch (IOException e) {
                // somebody has set another one meanwhile, and answers for it
            }
        }
    }

    private static final class Loopback extends RMISocketFactory {
        @Override
        public Socket createSocket(String host, int port) throws IOException {
            return getDefaultSocketFactory().createSocket(PORTS.contains(port) ? LOOPBACK : host, port);
        }

        @Override
        public ServerSocket createServerSocket(int port) throws IOException {
            return getDefaultSocketFactory().createServerSocket(port);
        }
    }

    /** Whether the port was opened for this JVM. */
    boolean isOwn() {
        return port > 0;
    }

    /** The last one to leave stops it. */
    void leave() {
        synchronized (RUNNING) {
            if (--users == 0) {
                RUNNING.remove(pid, this);
                stop();
            }
        }
    }

    private void stop() {
        try {
            connector.close();
        } catch (IOException e) {
            // the other end has already gone
        }
        if (isOwn()) {
            try {
                Attachment.to(Target.of(pid)).command(SOON, "ManagementAgent.stop");
            } catch (IOException | RuntimeException e) {
                // the JVM has ended, and its port with it
            } catch (InterruptedException e) {
                // it is asked all the same
                Thread.currentThread().interrupt();
            }
        }
        PORTS.remove(port);
    }

    private static void stopAll() {
        synchronized (RUNNING) {
            RUNNING.values().forEach(Agent::stop);
            RUNNING.clear();
        }
    }
}
