package threadlab.cases;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The services that the shop calls. Each answers after its drawn time, however many requests there are. */
final class Neighbours implements AutoCloseable {

    static {
        // otherwise an answer on a kept-alive connection waits for 40 ms; read when the first server starts
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    /** The courier message that says that no more will come. */
    private static final String END = "";

    /** A pause that separates two loads, and a number of orders below that of any load. */
    private static final long PAUSE_NS = 3_000_000_000L;

    private static final int FEW = 10;

    private final FaultyShop draw;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();

    /** When a supplier was asked, in ns. */
    private final List<Long> asked = new ArrayList<>();

    /** When the bank had moved the money for an order, in ns. */
    private final List<Long> paid = new ArrayList<>();

    Neighbours(FaultyShop draw) {
        this.draw = draw;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException("the neighbours of the shop could not be started", e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Questions to the suppliers: each order begins with some. */
    int asked() {
        synchronized (paid) {
            return asked.size();
        }
    }

    /** Orders for which the bank has moved the money. */
    int paid() {
        synchronized (paid) {
            return paid.size();
        }
    }

    /**
     * Orders paid per second in the last load; NaN if too few were paid. As in the load's own figures, the first order
     * counts from its beginning: a shop that has just started takes longer for it.
     */
    double perSecond() {
        synchronized (paid) {
            int last = paid.size() - 1;
            int first = begin(paid, last);
            if (last - first < FEW) {
                return Double.NaN;
            }
            int asks = (int) asked.stream().filter(at -> at < paid.get(first)).count();
            return (last - first + 1) * 1e9 / (paid.get(last) - asked.get(begin(asked, asks - 1)));
        }
    }

    /** The first of the moments up to one between which there is no pause. */
    private static int begin(List<Long> moments, int until) {
        int first = until;
        while (first > 0 && moments.get(first) - moments.get(first - 1) < PAUSE_NS) {
            first--;
        }
        return first;
    }

    private void answer(HttpExchange exchange) throws IOException {
        try (exchange) {
            var question = parameters(exchange.getRequestURI().getQuery());
            switch (exchange.getRequestURI().getPath()) {
                case "/offer" -> {
                    synchronized (paid) {
                        asked.add(System.nanoTime());
                    }
                    send(exchange, draw.offerMs, offer(question));
                }
                case "/rate" -> send(exchange, draw.rateMs, "1.25 " + draw.rateValidMs);
                case "/bring" -> send(exchange, draw.bringMs, "brought");
                case "/pay" -> {
                    send(exchange, draw.payMs, "paid");
                    synchronized (paid) {
                        paid.add(System.nanoTime());
                    }
                }
                case "/courier" -> {
                    // the courier has already come: the message is sent before the answer
                    messages.add(question.get("parcel"));
                    send(exchange, 30, "called");
                }
                case "/messages" -> tell(exchange);
                default -> exchange.sendResponseHeaders(404, -1);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // the server is closing
        }
    }

    private static Map<String, String> parameters(String query) {
        return query == null
                ? Map.of()
                : Stream.of(query.split("&"))
                        .map(pair -> pair.split("="))
                        .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
    }

    /** The first supplier sells in the shop's country, the others abroad. */
    private static String offer(Map<String, String> asked) {
        int supplier = Integer.parseInt(asked.get("supplier"));
        int item = Integer.parseInt(asked.get("item"));
        return 100 * item + 7 * (supplier * 31 % 13) + " " + (supplier == 1 ? 0 : 1);
    }

    private static void send(HttpExchange exchange, int ms, String text) throws IOException, InterruptedException {
        Thread.sleep(ms);
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
    }

    private void tell(HttpExchange exchange) throws IOException, InterruptedException {
        exchange.sendResponseHeaders(200, 0);
        try (var out = exchange.getResponseBody()) {
            for (var message = messages.take(); !message.equals(END); message = messages.take()) {
                out.write((message + "\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
            }
        }
    }

    @Override
    public void close() {
        messages.add(END);
        server.stop(0);
        threads.shutdownNow();
        try {
            threads.awaitTermination(2, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
