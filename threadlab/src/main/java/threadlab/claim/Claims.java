package threadlab.claim;

import java.util.LinkedHashMap;
import java.util.Map;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;

/** The claims that were judged in this session, in the order in which each was judged first. */
public final class Claims {

    /** From this share of the margin on, another run may break the claim. */
    private static final double TIGHT = 0.7;

    /** For the whole JVM, for a notebook judges its claims in cells of their own and asks for all of them at its end. */
    private static final Map<String, Claim> JUDGED = new LinkedHashMap<>();

    private Claims() {}

    /** Keeps a claim in place of an earlier one with the same statement. */
    static Claim keep(Claim claim) {
        synchronized (JUDGED) {
            JUDGED.put(claim.statement(), claim);
        }
        return claim;
    }

    /**
     * What held on this machine.
     *
     * @return one row per claim: columns {@code claim} (its statement), {@code held} (✔ or ✘), {@code value} (measured,
     *     in the unit of the claim), {@code bound} (the rule with its numbers), {@code margin used (%)} (100 is
     *     the bound; missing where it is infinite or nothing was measured) and {@code note} ({@code tight} above 70 %
     *     of the margin, or why the claim did not hold)
     * @throws IllegalStateException if no claim has been judged yet
     */
    public static Table table() {
        var table = Table.create(
                "What held on this machine",
                StringColumn.create("claim"),
                StringColumn.create("held"),
                DoubleColumn.create("value"),
                StringColumn.create("bound"),
                IntColumn.create("margin used (%)"),
                StringColumn.create("note"));
        synchronized (JUDGED) {
            if (JUDGED.isEmpty()) {
                throw new IllegalStateException("no claim has been judged yet: run the cells above first");
            }
            JUDGED.values().forEach(claim -> append(table, claim));
        }
        return table;
    }

    private static void append(Table table, Claim claim) {
        table.stringColumn("claim").append(claim.statement());
        table.stringColumn("held").append(claim.held() ? "✔" : "✘");
        table.doubleColumn("value").append(claim.value());
        table.stringColumn("bound").append(claim.bound());
        if (Double.isFinite(claim.marginUsed())) {
            table.intColumn("margin used (%)").append(percent(claim.marginUsed()));
        } else {
            table.intColumn("margin used (%)").appendMissing();
        }
        table.stringColumn("note").append(note(claim));
    }

    /** Just beyond the bound is not 100, which would hold. */
    private static int percent(double used) {
        int rounded = (int) Math.round(used * 100);
        return used > 1 ? Math.max(101, rounded) : rounded;
    }

    private static String note(Claim claim) {
        double used = claim.marginUsed();
        if (Double.isNaN(used)) {
            return "not measured";
        }
        if (used > 1) {
            return "beyond the bound";
        }
        if (!claim.held()) {
            return "a trial failed";
        }
        return used > TIGHT ? "tight" : "";
    }
}
