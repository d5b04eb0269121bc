import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

public class T25BatchImportTwin {

    private final Lock lock = new ReentrantLock();
    private final Condition loaded = lock.newCondition();
    private final List<String> rows = new ArrayList<>();
    private boolean complete;

    void load() {
        lock.lock();
        try {
            for (int i = 0; i < 500; i++) {
                rows.add("row;" + i);
            }
            complete = true;
            loaded.signalAll();
        } finally {
            lock.unlock();
        }
    }

    void validate(int from) throws InterruptedException {
        lock.lock();
        try {
            while (!complete) {
                loaded.await();
            }
        } finally {
            lock.unlock();
        }
        int bad = 0;
        while (true) {
            for (int i = from; i < rows.size(); i += 8) {
                bad += rows.get(i).startsWith("row;") ? 0 : 1;
            }
            Thread.sleep(100 + bad);
        }
    }

    public static void main(String[] args) throws Exception {
        T25BatchImportTwin batch = new T25BatchImportTwin();
        Thread loader = new Thread(batch::load, "loader");
        loader.start();
        Thread.sleep(300);
        for (int i = 0; i < 8; i++) {
            int from = i;
            Thread validator = new Thread(() -> {
                try {
                    batch.validate(from);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }, "validator-" + i);
            validator.setDaemon(true);
            validator.start();
        }
        Thread.sleep(1000);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
