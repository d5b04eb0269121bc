package foreign;

import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Clients of a database: URL, then for each kind how many there are, what they do, a statement: once, once in a transaction that stays open (hold), or again after so many milliseconds. */
public class Sql {
    private static final List<Connection> open = new CopyOnWriteArrayList<>();

    public static void main(String[] arguments) throws Exception {
        for (int i = 1; i < arguments.length; i += 3) {
            var how = arguments[i + 1];
            var statement = arguments[i + 2];
            for (int n = Integer.parseInt(arguments[i]); n > 0; n--) {
                var client = new Thread(() -> run(arguments[0], how, statement));
                client.setDaemon(true);
                client.start();
                if (!Character.isDigit(how.charAt(0))) {
                    // the holder comes first
                    client.join();
                }
            }
        }
        // ends with the program that started it
        while (System.in.read() >= 0) {}
    }

    private static void run(String url, String how, String sql) {
        try {
            var connection = DriverManager.getConnection(url);
            open.add(connection);
            connection.setAutoCommit(!how.equals("hold"));
            var statement = connection.createStatement();
            boolean again = Character.isDigit(how.charAt(0));
            do {
                if (statement.execute(sql)) {
                    var rows = statement.getResultSet();
                    while (rows.next()) {}
                }
                Thread.sleep(again ? Integer.parseInt(how) : 0);
            } while (again);
            if (how.equals("once")) {
                connection.close();
            }
        } catch (Exception e) {
            System.err.println(sql + ": " + e.getMessage());
        }
    }
}
