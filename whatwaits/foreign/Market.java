package foreign;

import com.sun.net.httpserver.HttpServer;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.net.*;
import java.util.concurrent.*;
import java.util.stream.IntStream;

/** Offers are stored, and prices come from a partner; two prices are asked for at a time. */
public class Market {
    private static final HikariDataSource database = new HikariDataSource();
    private static final ExecutorService calls = Executors.newFixedThreadPool(Integer.getInteger("calls", 40));
    private static String partner;
    static class Rates {
        static final String today = ask();
    }
    private static String ask() {
        try (var answer = URI.create(partner).toURL().openStream()) {
            return new String(answer.readAllBytes());
        } catch (IOException e) {
            return "unknown";
        }
    }
    private static String offer() throws Exception {
        try (var connection = database.getConnection()) {
            connection.createStatement().executeUpdate("insert into offer(price) values (7)");
            return ask();
        }
    }
    private static String copy() throws Exception {
        try (var from = database.getConnection()) {
            from.createStatement().executeQuery("select max(id) from offer");
            return ask() + offer();
        }
    }
    private static String compare() throws Exception {
        var other = calls.submit(Market::ask);
        return calls.submit(Market::ask).get() + other.get();
    }
    private static String average() {
        return "" + IntStream.range(1, Integer.getInteger("days", 10_000)).mapToDouble(Math::sin).sum();
    }
    private static void route(HttpServer server, String path, Callable<String> work) {
        server.createContext(path, request -> {
            try (request) {
                var body = work.call().getBytes();
                request.sendResponseHeaders(200, body.length);
                request.getResponseBody().write(body);
            } catch (Exception e) {
                throw new IOException(e);
            }
        });
    }
    public static void main(String[] arguments) throws Exception {
        partner = arguments[1];
        int threads = Integer.getInteger("threads", 16);
        database.setJdbcUrl("jdbc:h2:mem:market;INIT=create table if not exists offer(id int auto_increment, price int)");
        database.setMaximumPoolSize(Integer.getInteger("pool", 10));
        var server = HttpServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])), 0);
        if (threads == 0) server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        if (threads > 0) server.setExecutor(Executors.newFixedThreadPool(threads));
        route(server, "/", () -> "ok");
        route(server, "/rates", () -> Rates.today);
        route(server, "/offer", Market::offer);
        route(server, "/copy", Market::copy);
        route(server, "/compare", Market::compare);
        route(server, "/basket", () -> calls.submit(Market::compare).get());
        route(server, "/average", Market::average);
        server.start();
    }
}
