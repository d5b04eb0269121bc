package foreign;

import org.apache.activemq.broker.BrokerService;

/** A broker that keeps its messages in memory. */
public class Broker {
    public static void main(String[] arguments) throws Exception {
        var broker = new BrokerService();
        broker.setPersistent(false);
        broker.setUseJmx(false);
        broker.getSystemUsage().getMemoryUsage().setLimit(Long.getLong("memory", 64 << 20));
        broker.addConnector("tcp://127.0.0.1:" + arguments[0] + "?wireFormat.maxInactivityDuration=0");
        broker.start();
        broker.waitUntilStopped();
    }
}
