package whatwaits.look;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MalformedObjectNameException;
import javax.management.ObjectName;
import whatwaits.rules.Limit.Kind;
import whatwaits.rules.PoolFigures;

/** Figures about pools, from their management beans, if a service registers these. */
final class Gauges {

    private Gauges() {}

    /** Those of this JVM. */
    static List<PoolFigures> here() {
        return read(ManagementFactory.getPlatformMBeanServer());
    }

    /** Reads the beans: each pool has its own figures. */
    static List<PoolFigures> read(MBeanServer beans) {
        var found = new ArrayList<PoolFigures>();
        for (ObjectName pool : beans.queryNames(name("com.zaxxer.hikari:type=Pool (*)"), null)) {
            var name = pool.getKeyProperty("type").replaceFirst("^Pool \\((.*)\\)$", "$1");
            var config = name("com.zaxxer.hikari:type=PoolConfig (%s)".formatted(name));
            double inUse = value(beans, pool, "ActiveConnections");
            double waiting = value(beans, pool, "ThreadsAwaitingConnection");
            double most = value(beans, config, "MaximumPoolSize");
            found.add(new PoolFigures(Kind.CONNECTIONS, name, inUse, most, waiting));
        }
        for (ObjectName pool : beans.queryNames(name("Tomcat:type=ThreadPool,name=*"), null)) {
            var name = pool.getKeyProperty("name").replace("\"", "");
            double busy = value(beans, pool, "currentThreadsBusy");
            double most = value(beans, pool, "maxThreads");
            // on virtual threads it has no such threads, and says -1
            if (most >= 0) {
                found.add(new PoolFigures(Kind.THREADS, name, busy, most, Double.NaN));
            }
        }
        return found;
    }

    static ObjectName name(String name) {
        try {
            return new ObjectName(name);
        } catch (MalformedObjectNameException e) {
            throw new IllegalArgumentException(e);
        }
    }

    private static double value(MBeanServer beans, ObjectName bean, String attribute) {
        try {
            return beans.getAttribute(bean, attribute) instanceof Number number ? number.doubleValue() : Double.NaN;
        } catch (JMException e) {
            // this version lacks it
            return Double.NaN;
        }
    }
}
