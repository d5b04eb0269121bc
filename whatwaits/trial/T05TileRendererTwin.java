import java.util.concurrent.*;
import java.util.stream.*;

public class T05TileRendererTwin {
    static class Tile {
        int version;
    }

    final Tile[] tiles = Stream.generate(Tile::new).limit(4).toArray(Tile[]::new);

    void blend(int here) throws InterruptedException {
        int next = (here + 1) % tiles.length;
        Tile outer = tiles[Math.min(here, next)];
        Tile inner = tiles[Math.max(here, next)];
        synchronized (outer) {
            TimeUnit.MILLISECONDS.sleep(15);
            synchronized (inner) {
                outer.version++;
                inner.version++;
            }
        }
    }

    void border(int here) {
        try {
            while (true) {
                blend(here);
                TimeUnit.MILLISECONDS.sleep(300);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    static double shade(int seed) {
        double v = seed;
        for (int i = 0; i < 2_000; i++) {
            v = Math.sin(v) + 1;
        }
        return v;
    }

    public static void main(String[] args) throws Exception {
        var renderer = new T05TileRendererTwin();
        var shaders = Executors.newFixedThreadPool(40);
        var pacer = Executors.newSingleThreadScheduledExecutor();
        pacer.scheduleAtFixedRate(() -> shaders.execute(() -> shade(7)), 0, 10, TimeUnit.MILLISECONDS);

        var borders = IntStream.range(0, 4)
                .mapToObj(i -> new Thread(() -> renderer.border(i), "border-" + "NESW".charAt(i)))
                .toList();
        borders.forEach(Thread::start);

        for (int i = 0; i < 7; i++) {
            TimeUnit.MILLISECONDS.sleep(200);
            if (borders.stream().allMatch(t -> t.getState() == Thread.State.BLOCKED)) {
                break;
            }
        }
        System.out.println("ready " + ProcessHandle.current().pid());
        TimeUnit.SECONDS.sleep(100);
        System.exit(0);
    }
}
