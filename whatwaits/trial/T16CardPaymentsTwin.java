import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;

public class T16CardPaymentsTwin {

    record Answer(String id, boolean ok) {
    }

    private final Map<String, CompletableFuture<Boolean>> pending = new ConcurrentHashMap<>();
    private final LinkedBlockingQueue<Answer> answers = new LinkedBlockingQueue<>();
    private final AtomicInteger numbers = new AtomicInteger();

    boolean pay(int cents) {
        String id = "PAY-" + numbers.incrementAndGet();
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        pending.put(id, result);
        terminal(id, cents);
        return result.join();
    }

    private void terminal(String id, int cents) {
        answers.add(new Answer(id.toUpperCase(), cents < 10_000));
    }

    void callbacks() {
        try {
            while (true) {
                Answer answer = answers.take();
                Thread.sleep(20);
                CompletableFuture<Boolean> waiting = pending.remove(answer.id());
                if (waiting != null) {
                    waiting.complete(answer.ok());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    public static void main(String[] args) throws Exception {
        T16CardPaymentsTwin payments = new T16CardPaymentsTwin();
        Thread callbacks = new Thread(payments::callbacks, "terminal-callbacks");
        callbacks.start();
        var tills = Executors.newFixedThreadPool(8, r -> new Thread(r, "till"));
        for (int i = 0; i < 8; i++) {
            int cents = 100 * i;
            tills.submit(() -> {
                while (true) {
                    payments.pay(cents);
                    Thread.sleep(300);
                }
            });
        }
        Thread.sleep(1200);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
