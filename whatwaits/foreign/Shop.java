package foreign;

import com.github.benmanes.caffeine.cache.*;
import com.mchange.v2.c3p0.ComboPooledDataSource;
import java.net.*;
import java.util.concurrent.*;
import java.util.stream.IntStream;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.*;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;

/** Goods are sold, which is stored; prices come from a partner and are kept for a short time, reports for longer. */
public class Shop extends Handler.Abstract {
    private final ComboPooledDataSource database = new ComboPooledDataSource();
    private final Cache<String, String> prices = Caffeine.newBuilder().expireAfterWrite(500, TimeUnit.MILLISECONDS).build();
    private final Cache<Integer, byte[]> reports = Caffeine.newBuilder().maximumSize(Integer.getInteger("reports", 50)).build();
    private final URI partner;
    Shop(String partner) {
        this.partner = URI.create(partner);
        database.setJdbcUrl("jdbc:h2:mem:shop;INIT=create table if not exists sale(id int auto_increment, price int)");
        database.setMaxPoolSize(Integer.getInteger("pool", 10));
    }
    private String ask() {
        try (var answer = partner.toURL().openStream()) {
            return new String(answer.readAllBytes());
        } catch (java.io.IOException e) {
            return "nobody knows";
        }
    }
    private String sell(boolean another) throws Exception {
        try (var connection = database.getConnection()) {
            connection.createStatement().executeUpdate("insert into sale(price) values (7)");
            return ask() + (another ? sell(false) : "sold");
        }
    }
    private String search() {
        int goods = Integer.getInteger("goods", 2_000);
        return "" + IntStream.range(0, goods).filter(i -> Integer.toHexString(i * 31).matches(".*[a-f]7.*7")).count();
    }
    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        Content.Sink.write(response, true, switch (request.getHttpURI().getPath()) {
            case "/news" -> ask();
            case "/sell" -> sell(false);
            case "/bundle" -> sell(true);
            case "/price" -> prices.get("tea", unknown -> ask());
            case "/search" -> search();
            case "/report" -> "" + reports.get(ThreadLocalRandom.current().nextInt(100_000), day -> new byte[20_000]).length;
            default -> "ok";
        }, callback);
        return true;
    }
    public static void main(String[] arguments) throws Exception {
        var server = new Server(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[0])));
        ((QueuedThreadPool) server.getThreadPool()).setMaxThreads(Integer.getInteger("threads", 60));
        server.setHandler(new Shop(arguments[1]));
        server.start();
    }
}
