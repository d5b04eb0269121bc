package threadlab.inspect;

import java.io.IOException;
import java.util.List;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.ObjectName;

/** The figures of a JVM's scheduler of virtual threads. */
final class Scheduler {

    /** In the order of the figures. */
    static final List<String> COLUMNS = List.of("mounted", "queued", "parallelism", "pool size");

    /** The first Java whose scheduler has a bean. */
    static final int SINCE = 24;

    private static final ObjectName BEAN = Connection.name("jdk.management:type=VirtualThreadScheduler");
    private static final String[] ATTRIBUTES = {
        "MountedVirtualThreadCount", "QueuedVirtualThreadCount", "Parallelism", "PoolSize"
    };

    private Scheduler() {}

    /** The current figures. */
    static double[] read(Connection connection) throws IOException, JMException {
        var figures = connection.internals().scheduler();
        return figures != null ? figures : fromBean(connection);
    }

    static double[] fromBean(Connection connection) throws IOException, JMException {
        return connection.beans().getAttributes(BEAN, ATTRIBUTES).asList().stream()
                .map(Attribute::getValue)
                .mapToDouble(value -> ((Number) value).doubleValue())
                .toArray();
    }
}
