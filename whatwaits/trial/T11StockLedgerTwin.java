import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

public final class T11StockLedgerTwin {

    private final ReentrantLock lock = new ReentrantLock();
    private final List<String> open = new ArrayList<>();
    private long total;

    void book(long amount) {
        lock.lock();
        try {
            total += amount;
        } finally {
            lock.unlock();
        }
    }

    void review() {
        lock.lock();
        if (open.isEmpty()) {
            lock.unlock();
            return;
        }
        open.removeIf(String::isBlank);
        lock.unlock();
    }

    void audit() throws InterruptedException {
        Thread.sleep(300);
        while (true) {
            review();
            Thread.sleep(60_000);
        }
    }

    void shop() throws InterruptedException {
        while (true) {
            book(1);
            Thread.sleep(30);
        }
    }

    interface Task {
        void run() throws InterruptedException;
    }

    static void go(String name, Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        thread.setName(name);
        thread.setDaemon(true);
        thread.start();
    }

    public static void main(String[] args) throws InterruptedException {
        T11StockLedgerTwin ledger = new T11StockLedgerTwin();
        go("audit", ledger::audit);
        for (int i = 1; i <= 8; i++) {
            go("branch-" + i, ledger::shop);
        }
        Thread.sleep(1200);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
