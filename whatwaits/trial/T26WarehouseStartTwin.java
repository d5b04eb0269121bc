import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public class T26WarehouseStartTwin {

    private static final List<String> LINES = List.of("bolts=120", "nuts=80", "gears=n/a", "belts=7", "pipes=31");

    private final CountDownLatch sections = new CountDownLatch(LINES.size());
    private final Map<String, Integer> amounts = new ConcurrentHashMap<>();

    private void load(String line) {
        try {
            String[] parts = line.split("=");
            amounts.put(parts[0], Integer.parseInt(parts[1]));
        } catch (NumberFormatException e) {
            System.err.println("skipped " + line);
        } finally {
            sections.countDown();
        }
    }

    private int amount(String name) throws InterruptedException {
        sections.await();
        return amounts.getOrDefault(name, 0);
    }

    private void picker(String name) {
        try {
            while (true) {
                amount(name);
                Thread.sleep(70);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        T26WarehouseStartTwin warehouse = new T26WarehouseStartTwin();
        ExecutorService loaders = Executors.newFixedThreadPool(5, r -> new Thread(r, "section-loader"));
        LINES.forEach(line -> loaders.execute(() -> warehouse.load(line)));
        for (String name : List.of("bolts", "nuts", "gears", "belts", "pipes", "wheels")) {
            Thread.ofPlatform().daemon().name("picker-" + name).start(() -> warehouse.picker(name));
        }
        Thread.sleep(1200);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
