package foreign;

import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.BlockingHandler;
import java.net.URI;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.commons.dbcp2.BasicDataSource;

/** Books are lent, which is stored; the catalogue comes from a partner and is kept. */
public class Library {
    private static final BasicDataSource database = new BasicDataSource();
    private static final ReentrantReadWriteLock access = new ReentrantReadWriteLock();
    private static String partner;
    private static String catalogue = "empty";

    private static String ask() throws Exception {
        try (var answer = URI.create(partner).toURL().openStream()) {
            return new String(answer.readAllBytes());
        }
    }

    private static void news(HttpServerExchange request) throws Exception {
        request.getResponseSender().send(ask());
    }

    private static void lend(HttpServerExchange request) throws Exception {
        try (var connection = database.getConnection();
                var loan = connection.prepareStatement("insert into loan(book) values (?)")) {
            loan.setInt(1, 7);
            loan.executeUpdate();
            ask();
        }
        request.getResponseSender().send("lent");
    }

    private static void renew(HttpServerExchange request) throws Exception {
        access.writeLock().lock();
        try {
            catalogue = ask();
        } finally {
            access.writeLock().unlock();
        }
        request.getResponseSender().send("renewed");
    }

    private static void read(HttpServerExchange request) throws Exception {
        access.readLock().lock();
        try {
            request.getResponseSender().send(catalogue);
        } finally {
            access.readLock().unlock();
        }
    }

    public static void main(String[] arguments) throws Exception {
        partner = arguments[1];
        database.setUrl("jdbc:h2:mem:library;DB_CLOSE_DELAY=-1");
        database.setMaxTotal(Integer.getInteger("pool", 10));
        try (var connection = database.getConnection();
                var table = connection.createStatement()) {
            table.execute("create table loan(id int auto_increment, book int)");
        }
        Undertow.builder()
                .addHttpListener(Integer.parseInt(arguments[0]), "127.0.0.1")
                .setWorkerThreads(Integer.getInteger("threads", 32))
                .setHandler(Handlers.routing()
                        .get("/", request -> request.getResponseSender().send("ok"))
                        .get("/news", new BlockingHandler(Library::news))
                        .get("/lend", new BlockingHandler(Library::lend))
                        .get("/renew", new BlockingHandler(Library::renew))
                        .get("/catalogue", new BlockingHandler(Library::read)))
                .build()
                .start();
    }
}
