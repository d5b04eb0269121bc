package foreign;

import io.github.resilience4j.bulkhead.*;
import jakarta.ws.rs.*;
import java.net.URI;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.tomcat.jdbc.pool.DataSource;
import org.glassfish.grizzly.threadpool.ThreadPoolConfig;
import org.glassfish.jersey.grizzly2.httpserver.GrizzlyHttpServerFactory;
import org.glassfish.jersey.server.ResourceConfig;

/** Rooms are booked, which is stored; guests move from one house to another; a partner knows the rates. */
@Path("/")
public class Hotel {
    private static final DataSource database = new DataSource();
    private static final ReentrantLock[] houses = {new ReentrantLock(), new ReentrantLock(), new ReentrantLock()};
    private static final Bulkhead calls = Bulkhead.of("calls", BulkheadConfig.custom()
            .maxConcurrentCalls(Integer.getInteger("calls", 50)).maxWaitDuration(java.time.Duration.ofSeconds(30)).build());
    private static URI partner;
    private static String ask() throws Exception {
        try (var answer = partner.toURL().openStream()) {
            return new String(answer.readAllBytes());
        }
    }
    @GET @Path("ok") public String ok() {
        return "ok";
    }
    @GET @Path("rates") public String rates() throws Exception {
        return calls.executeCallable(Hotel::ask);
    }
    @GET @Path("book") public String book() throws Exception {
        try (var connection = database.getConnection()) {
            connection.createStatement().executeUpdate("insert into booking(room) values (7)");
            return ask();
        }
    }
    @GET @Path("move/{from}/{to}") public String move(@PathParam("from") int from, @PathParam("to") int to) throws Exception {
        houses[from].lock();
        try {
            ask();
            houses[to].lock();
            houses[to].unlock();
            return "moved";
        } finally {
            houses[from].unlock();
        }
    }
    public static void main(String[] arguments) throws Exception {
        partner = URI.create(arguments[1]);
        database.setUrl("jdbc:h2:mem:hotel;INIT=create table if not exists booking(id int auto_increment, room int)");
        database.setDriverClassName("org.h2.Driver");
        database.setMaxActive(Integer.getInteger("pool", 10));
        var server = GrizzlyHttpServerFactory.createHttpServer(URI.create("http://127.0.0.1:" + arguments[0]), new ResourceConfig(Hotel.class), false);
        int threads = Integer.getInteger("threads", 50);
        var pool = ThreadPoolConfig.defaultConfig().setPoolName("worker").setCorePoolSize(threads).setMaxPoolSize(threads);
        server.getListener("grizzly").getTransport().setWorkerThreadPoolConfig(pool);
        server.start();
        Thread.currentThread().join();
    }
}
