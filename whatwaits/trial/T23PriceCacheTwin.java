import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Prices that were asked for lately.
 */
public class T23PriceCacheTwin {

    private static final int STEPS = 500;

    private final Map<Integer, Double> recent = new LinkedHashMap<Integer, Double>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Double> eldest) {
            return size() > 20;
        }
    };

    public synchronized double price(int article) {
        Double known = recent.get(article);
        if (known == null) {
            known = compute(article);
            recent.put(article, known);
        }
        return known;
    }

    private double compute(int article) {
        double sum = 0;
        for (int i = 1; i < STEPS; i++) {
            sum += Math.log(article + i);
        }
        return sum;
    }

    public static void main(String[] args) throws InterruptedException {
        final T23PriceCacheTwin cache = new T23PriceCacheTwin();
        for (int i = 0; i < 60; i++) {
            final int offset = i * 100;
            Thread t = new Thread(new Runnable() {
                @Override
                public void run() {
                    int n = 0;
                    while (true) {
                        cache.price(offset + n++ % 100);
                        try {
                            Thread.sleep(40);
                        } catch (InterruptedException e) {
                            return;
                        }
                    }
                }
            }, "basket-" + i);
            t.setDaemon(true);
            t.start();
        }
        Thread.sleep(1500);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100000);
        System.exit(0);
    }
}
