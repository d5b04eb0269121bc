package threadlab.cases;

import java.time.Duration;
import threadlab.claim.Check;
import threadlab.load.Load;
import threadlab.measure.Results;

/** Puts the customers' load on a repaired shop and judges whether the shop serves it. */
final class RepairTrial {

    /** A repaired shop must serve 95 of 100 orders within this time. */
    private static final int TARGET_MS = 1_000;

    private static final double ENOUGH = 0.9;
    private static final double ENOUGH_OF_CAPACITY = 0.7;
    private static final Duration TRIAL = Duration.ofSeconds(4);

    /** Several, because other programs may keep the machine busy during one. */
    private static final int TRIALS = 3;

    private RepairTrial() {}

    /** The result of the first trial that succeeds or, if none does, of the last one. */
    static Check of(String url, FaultyShop draw) throws InterruptedException {
        var found = once(url, draw);
        for (int trial = 1; trial < TRIALS && found.state() != Check.State.RIGHT; trial++) {
            found = once(url, draw);
        }
        return found;
    }

    private static Check once(String url, FaultyShop draw) throws InterruptedException {
        var row = Load.on(url)
                .server("the repaired shop")
                .rate(draw.ordersPerSecond)
                .warmUp(draw.ordersPerSecond)
                .during(TRIAL)
                .run();
        double perSecond = Results.value(row, "requests/s");
        double served = perSecond * Results.value(row, "seconds") / Results.value(row, "requests");
        double ms = Results.value(row, "p95 (ms)");
        // admission control that admits what can be served must refuse the rest
        boolean door = draw.fault == Fault.UNBOUNDED_ADMISSION;
        boolean enough = door ? perSecond >= ENOUGH_OF_CAPACITY * draw.figure : served >= ENOUGH;
        var needed = door
                ? "%.1f orders per second".formatted(ENOUGH_OF_CAPACITY * draw.figure)
                : "%.0f %% of the orders".formatted(100 * ENOUGH);
        var text = "the repaired shop serves %.0f %% of the orders (%.1f per second), 95 %% of these within %,.0f ms"
                .formatted(100 * served, perSecond, ms);
        if (enough && ms <= TARGET_MS) {
            return new Check(Check.State.RIGHT, "The evidence is right, and " + text + ".");
        }
        var but = "The evidence is right, but %s: it must serve at least %s, 95 %% of these within %,d ms.";
        return new Check(Check.State.WRONG, but.formatted(text, needed, TARGET_MS));
    }
}
