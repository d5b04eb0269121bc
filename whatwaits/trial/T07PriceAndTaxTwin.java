import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

public class T07PriceAndTaxTwin {

    private final ExecutorService pricing = Executors.newSingleThreadExecutor(r -> new Thread(r, "pricing"));
    private final ExecutorService taxes = Executors.newSingleThreadExecutor(r -> new Thread(r, "taxes"));

    private long round(double cents) {
        return Math.round(cents / 5) * 5;
    }

    private long tax(long net) throws Exception {
        Callable<Long> rounding = () -> round(net * 0.081);
        return rounding.call();
    }

    private long gross(long net) throws Exception {
        Future<Long> tax = taxes.submit(() -> tax(net));
        return net + tax.get();
    }

    Future<Long> quote(long net) {
        return pricing.submit(() -> gross(net));
    }

    public static void main(String[] args) throws Exception {
        T07PriceAndTaxTwin service = new T07PriceAndTaxTwin();
        for (int i = 0; i < 6; i++) {
            final int counter = i;
            Thread.ofPlatform().name("counter-" + counter).daemon().start(() -> {
                try {
                    while (true) {
                        service.quote(1000 + counter).get();
                        Thread.sleep(120);
                    }
                } catch (Exception e) {
                    System.err.println("counter closed: " + e);
                }
            });
        }
        Thread.sleep(1500);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
