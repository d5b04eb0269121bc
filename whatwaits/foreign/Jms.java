package foreign;

import jakarta.jms.Session;
import org.apache.activemq.ActiveMQConnectionFactory;

/** Clients of a broker: URL, then for each kind how many there are, what they do (send, receive), a queue. */
public class Jms {
    public static void main(String[] arguments) throws Exception {
        var factory = new ActiveMQConnectionFactory(arguments[0]);
        for (int i = 1; i < arguments.length; i += 3) {
            var sends = arguments[i + 1].equals("send");
            var queue = arguments[i + 2];
            for (int n = Integer.parseInt(arguments[i]); n > 0; n--) {
                var client = new Thread(() -> run(factory, sends, queue));
                client.setDaemon(true);
                client.start();
            }
        }
        // ends with the program that started it
        while (System.in.read() >= 0) {}
    }

    private static void run(ActiveMQConnectionFactory factory, boolean sends, String name) {
        try (var connection = factory.createConnection();
                var session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE)) {
            connection.start();
            var queue = session.createQueue(name);
            var consumer = sends ? null : session.createConsumer(queue);
            var producer = sends ? session.createProducer(queue) : null;
            while (true) {
                if (sends) {
                    var message = session.createBytesMessage();
                    message.writeBytes(new byte[10_000]);
                    producer.send(message);
                    Thread.sleep(20);
                } else {
                    consumer.receive();
                }
            }
        } catch (Exception e) {
            System.err.println(name + ": " + e.getMessage());
        }
    }
}
