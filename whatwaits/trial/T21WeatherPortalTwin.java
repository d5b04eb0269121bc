import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

public class T21WeatherPortalTwin {

    final ExecutorService feeds = Executors.newFixedThreadPool(12, Thread.ofPlatform().daemon().name("feed-", 1).factory());

    /** The next reading comes when the station has measured. */
    int station(int id) {
        try {
            Thread.sleep(Duration.ofSeconds(40));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return id * 3 % 40;
    }

    CompletableFuture<Integer> poll(int id) {
        return CompletableFuture.supplyAsync(() -> station(id), feeds);
    }

    String page(int visitor) {
        return CompletableFuture.supplyAsync(() -> "<p>visitor " + visitor + "</p>").join();
    }

    void stations() {
        while (true) {
            var all = IntStream.range(0, 12).mapToObj(this::poll).toList();
            all.forEach(CompletableFuture::join);
        }
    }

    void visit(int visitor) {
        try {
            while (true) {
                page(visitor);
                Thread.sleep(Duration.ofMillis(90));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        var portal = new T21WeatherPortalTwin();
        Thread.ofPlatform().daemon().name("stations").start(portal::stations);
        Thread.sleep(300);
        for (int i = 0; i < 8; i++) {
            int visitor = i;
            Thread.ofPlatform().daemon().name("visitor-" + i).start(() -> portal.visit(visitor));
        }
        Thread.sleep(1200);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(Duration.ofSeconds(100));
        System.exit(0);
    }
}
