import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.locks.ReentrantReadWriteLock;

public class T06Catalogue {

    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private final Map<Integer, String> articles = new TreeMap<>();
    private final BlockingQueue<String> download = new ArrayBlockingQueue<>(10);

    T06Catalogue() {
        for (int i = 0; i < 40; i++) {
            articles.put(i, "article " + i);
        }
    }

    String lookup(int number) {
        lock.readLock().lock();
        try {
            return articles.get(number);
        } finally {
            lock.readLock().unlock();
        }
    }

    void rename(int number, String text) {
        lock.writeLock().lock();
        try {
            articles.put(number, text);
        } finally {
            lock.writeLock().unlock();
        }
    }

    void export() throws InterruptedException {
        lock.readLock().lock();
        try {
            for (String text : articles.values()) {
                download.put(text);
            }
        } finally {
            lock.readLock().unlock();
        }
    }

    void customer() throws InterruptedException {
        int rows = 0;
        while (true) {
            String row = download.take();
            rows += row.isEmpty() ? 0 : 1;
            if (rows == 25) {
                return;
            }
        }
    }

    interface Job {
        void run() throws InterruptedException;
    }

    static void start(String name, long pause, Job job) {
        Thread thread = new Thread(() -> {
            try {
                do {
                    job.run();
                    Thread.sleep(pause);
                } while (pause > 0);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws InterruptedException {
        T06Catalogue catalogue = new T06Catalogue();
        start("download-customer", 0, catalogue::customer);
        start("export", 400, catalogue::export);
        Thread.sleep(200);
        start("editor", 150, () -> catalogue.rename(3, "chair"));
        for (int i = 0; i < 12; i++) {
            int number = i;
            start("shop-" + i, 20, () -> catalogue.lookup(number));
        }
        Thread.sleep(1500);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
