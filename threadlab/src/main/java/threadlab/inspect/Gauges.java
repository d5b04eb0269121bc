package threadlab.inspect;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.management.JMException;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;

/** Figures about pools, from their management beans, if a service registers these. */
final class Gauges {

    static final String CONNECTIONS_IN_USE = "connections in use";
    static final String CONNECTIONS = "connections";
    static final String CONNECTIONS_WAITING = "connections waiting";
    static final String TOMCAT_THREADS = "tomcat threads";

    private Gauges() {}

    /** Reads the beans; figures of several pools are added up. */
    static Map<String, Double> read(MBeanServerConnection beans) throws IOException {
        var found = new LinkedHashMap<String, Double>();
        add(beans, found, "com.zaxxer.hikari:type=Pool (*", "ActiveConnections", CONNECTIONS_IN_USE);
        add(beans, found, "com.zaxxer.hikari:type=Pool (*", "ThreadsAwaitingConnection", CONNECTIONS_WAITING);
        add(beans, found, "com.zaxxer.hikari:type=PoolConfig (*", "MaximumPoolSize", CONNECTIONS);
        add(beans, found, "Tomcat:type=ThreadPool,*", "maxThreads", TOMCAT_THREADS);
        return found;
    }

    private static void add(
            MBeanServerConnection beans, Map<String, Double> into, String names, String attribute, String word)
            throws IOException {
        for (ObjectName bean : beans.queryNames(Connection.name(names.endsWith("(*") ? names + ")" : names), null)) {
            try {
                if (beans.getAttribute(bean, attribute) instanceof Number number && number.doubleValue() >= 0) {
                    into.merge(word, number.doubleValue(), Double::sum);
                }
            } catch (JMException e) {
                // this version lacks it
            }
        }
    }
}
