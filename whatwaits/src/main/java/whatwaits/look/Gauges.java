package whatwaits.look;

import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import whatwaits.rules.Gauge;

/** Figures about pools, from their management beans, if a service registers these. */
final class Gauges {

    private Gauges() {}

    /** Reads the beans; figures of several pools are added up. */
    static Map<Gauge, Double> read(MBeanServerConnection beans) throws IOException {
        var found = new EnumMap<Gauge, Double>(Gauge.class);
        add(beans, found, "com.zaxxer.hikari:type=Pool (*)", "ActiveConnections", Gauge.CONNECTIONS_IN_USE);
        add(beans, found, "com.zaxxer.hikari:type=Pool (*)", "ThreadsAwaitingConnection", Gauge.CONNECTIONS_WAITING);
        add(beans, found, "com.zaxxer.hikari:type=PoolConfig (*)", "MaximumPoolSize", Gauge.CONNECTIONS);
        add(beans, found, "Tomcat:type=ThreadPool,*", "maxThreads", Gauge.TOMCAT_THREADS);
        return found;
    }

    private static void add(
            MBeanServerConnection beans, Map<Gauge, Double> into, String names, String attribute, Gauge gauge)
            throws IOException {
        for (ObjectName bean : beans.queryNames(Connection.name(names), null)) {
            try {
                if (beans.getAttribute(bean, attribute) instanceof Number number && number.doubleValue() >= 0) {
                    into.merge(gauge, number.doubleValue(), Double::sum);
                }
            } catch (JMException e) {
                // this version lacks it
            }
        }
    }
}
