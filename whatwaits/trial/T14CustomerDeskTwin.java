import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

public class T14CustomerDeskTwin {

    /** Stands for a connection to the data base. */
    static class Connection {
        private int statements;

        void execute(String sql) throws InterruptedException {
            statements += sql.length();
            Thread.sleep(12);
        }
    }

    static class Connections {
        private final BlockingQueue<Connection> idle;

        Connections(int size) {
            idle = new ArrayBlockingQueue<>(size);
            for (int i = 0; i < size; i++) {
                idle.add(new Connection());
            }
        }

        Connection borrow() throws InterruptedException {
            return idle.take();
        }

        void giveBack(Connection connection) {
            idle.add(connection);
        }
    }

    private final Connections connections = new Connections(5);

    void update(int customer) throws InterruptedException {
        Connection connection = connections.borrow();
        try {
            connection.execute("update customer set seen = now() where id = " + customer);
            connection.execute("insert into protocol values ('customer " + customer + "')");
        } finally {
            connections.giveBack(connection);
        }
    }

    void protocol(String text) throws InterruptedException {
        Connection connection = connections.borrow();
        try {
            connection.execute("insert into protocol values ('" + text + "')");
        } finally {
            connections.giveBack(connection);
        }
    }

    public static void main(String[] args) throws InterruptedException {
        T14CustomerDeskTwin desk = new T14CustomerDeskTwin();
        for (int i = 0; i < 12; i++) {
            int customer = i;
            Thread agent = new Thread(() -> {
                try {
                    while (true) {
                        desk.update(customer);
                        Thread.sleep(60);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }, "agent-" + i);
            agent.setDaemon(true);
            agent.start();
        }
        Thread.sleep(1200);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
