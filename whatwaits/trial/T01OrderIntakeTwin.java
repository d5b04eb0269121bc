import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class T01OrderIntakeTwin {

    private final Map<String, Integer> stock = new HashMap<>();
    private final List<String> journal = new ArrayList<>();

    void accept(String article) throws InterruptedException {
        synchronized (stock) {
            Thread.sleep(20);
            synchronized (journal) {
                stock.merge(article, -1, Integer::sum);
                journal.add("- " + article);
            }
        }
    }

    void cancel(String article) throws InterruptedException {
        synchronized (stock) {
            Thread.sleep(20);
            synchronized (journal) {
                stock.merge(article, 1, Integer::sum);
                journal.add("+ " + article);
            }
        }
    }

    synchronized void trim() {
        if (journal.size() > 10_000) {
            journal.clear();
        }
    }

    interface Step {
        void run() throws InterruptedException;
    }

    static Thread repeat(String name, int pauseMillis, Step step) {
        Thread t = new Thread(() -> {
            try {
                while (true) {
                    step.run();
                    Thread.sleep(pauseMillis);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }, name);
        t.setDaemon(true);
        t.start();
        return t;
    }

    public static void main(String[] args) throws Exception {
        T01OrderIntakeTwin intake = new T01OrderIntakeTwin();
        Thread web = repeat("order-web", 70, () -> intake.accept("lamp"));
        Thread desk = repeat("order-desk", 70, () -> intake.cancel("lamp"));
        repeat("journal-trim", 500, intake::trim);

        for (int i = 0; i < 12; i++) {
            if (web.getState() == Thread.State.BLOCKED && desk.getState() == Thread.State.BLOCKED) {
                break;
            }
            Thread.sleep(100);
        }
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
