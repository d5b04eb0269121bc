import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Six virtual threads ask for an exchange rate. The rates are loaded when they are first needed, which takes 0.5 s. A
 * newcomer, one more virtual thread, needs no rate.
 *
 * <p>CSV: answers (the sum of the six rates), seconds (how long the newcomer waited for a carrier).
 */
class Rates {

    static class Table {
        static final Map<String, Double> RATES = load();
    }

    static Map<String, Double> load() {
        try {
            Thread.sleep(500);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return Map.of("EUR", 1.5, "CHF", 2.5);
    }

    static double rate(String currency) {
        return Table.RATES.get(currency);
    }

    public static void main(String[] arguments) throws Exception {
        var answers = new ArrayList<Future<Double>>();
        try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 6; i++) {
                answers.add(executor.submit(() -> rate("EUR")));
            }
            Thread.sleep(100);
            long asked = System.nanoTime();
            var newcomer = executor.submit(() -> System.nanoTime() - asked);
            double sum = 0;
            for (var answer : answers) {
                sum += answer.get();
            }
            System.out.println("answers,seconds");
            System.out.println("%s,%s".formatted(sum, newcomer.get() / 1e9));
        }
    }
}
