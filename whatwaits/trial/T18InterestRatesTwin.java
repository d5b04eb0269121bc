import java.util.HashMap;
import java.util.Map;

public class T18InterestRatesTwin {

    private final Map<Integer, Double> wanted = new HashMap<>();
    private final Map<Integer, Double> solved = new HashMap<>();

    static double root(double value) {
        double x = value;
        while (Math.abs(x * x - value) > 1e-8) {
            x = 0.5 * (x + value / x);
        }
        return x;
    }

    double ask(int customer, double value) throws InterruptedException {
        synchronized (this) {
            wanted.put(customer, value);
            notifyAll();
            while (!solved.containsKey(customer)) {
                wait();
            }
            return solved.remove(customer);
        }
    }

    void solve() throws InterruptedException {
        while (true) {
            Map.Entry<Integer, Double> next;
            synchronized (this) {
                while (wanted.isEmpty()) {
                    wait();
                }
                next = Map.entry(wanted.keySet().iterator().next(), 0.0);
                next = Map.entry(next.getKey(), wanted.remove(next.getKey()));
            }
            double result = root(next.getValue());
            synchronized (this) {
                solved.put(next.getKey(), result);
                notifyAll();
            }
        }
    }

    public static void main(String[] args) throws Exception {
        T18InterestRatesTwin rates = new T18InterestRatesTwin();
        Thread solver = new Thread(() -> {
            try {
                rates.solve();
            } catch (InterruptedException e) {
                return;
            }
        }, "rate-solver");
        solver.setDaemon(true);
        solver.start();
        for (int c = 1; c <= 10; c++) {
            int customer = c;
            Thread thread = new Thread(() -> {
                try {
                    for (int n = 0; ; n++) {
                        rates.ask(customer, 2.0 + customer + n % 50 * 0.37);
                        Thread.sleep(100);
                    }
                } catch (InterruptedException e) {
                    return;
                }
            }, "customer-" + c);
            thread.setDaemon(true);
            thread.start();
        }
        Thread.sleep(1300);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
