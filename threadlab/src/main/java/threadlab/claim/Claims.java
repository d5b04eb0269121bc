package threadlab.claim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import tech.tablesaw.columns.numbers.IntColumnType;

/** The claims judged in this session, in the order in which each was first judged. */
public final class Claims {

    /** Above this share of the margin, another run may break the claim: its note says {@code tight}. */
    private static final double TIGHT = 0.7;

    /** Kept for the whole JVM: a notebook judges claims in separate cells and lists them all in the last one. */
    private static final Map<String, Claim> JUDGED = new LinkedHashMap<>();

    private Claims() {}

    /** Replaces an earlier claim with the same statement; a claim that is not listed only removes it. */
    static Claim keep(Claim claim, boolean listed) {
        synchronized (JUDGED) {
            if (listed) {
                JUDGED.put(claim.statement(), claim);
            } else {
                JUDGED.remove(claim.statement());
            }
        }
        return claim;
    }

    /**
     * Whether a claim is in the table.
     *
     * @param claim a claim
     * @return false for a printed claim, for one to repair that does not hold, and for one that was judged again
     */
    public static boolean lists(Claim claim) {
        synchronized (JUDGED) {
            return JUDGED.get(claim.statement()) == claim;
        }
    }

    /**
     * What held on this machine.
     *
     * @return one row per claim: columns {@code claim} (its statement), {@code held} (✔, ✘, or ≈ for not judged),
     *     {@code your guess} (in words; only if there is one), {@code theory} (missing where the claim has only a bound),
     *     {@code measured} (both in the unit of the claim), {@code bound} (the rule with its numbers),
     *     {@code margin used (%)} (100 is the bound; missing where it is infinite or nothing was measured) and
     *     {@code note} ({@code tight} above 70 % of the margin, or why the claim did not hold or was not judged)
     * @throws IllegalStateException if no claim has been judged yet
     */
    public static Table table() {
        List<Claim> claims;
        synchronized (JUDGED) {
            claims = List.copyOf(JUDGED.values());
        }
        if (claims.isEmpty()) {
            throw new IllegalStateException("no claim has been judged yet: run the cells above first");
        }
        var table = Table.create(
                "What held on this machine",
                StringColumn.create("claim", claims.stream().map(Claim::statement)),
                StringColumn.create("held", claims.stream().map(Claim::verdict).map(Outcome::mark)));
        var guesses = StringColumn.create("your guess", claims.stream().map(Claims::guessed));
        if (guesses.countMissing() < guesses.size()) {
            table.addColumns(guesses);
        }
        return table.addColumns(
                numbers("theory", claims, Claim::theory),
                numbers("measured", claims, Claim::value),
                StringColumn.create("bound", claims.stream().map(Claim::bound)),
                IntColumn.create("margin used (%)", claims.stream().mapToInt(claim -> percent(claim.marginUsed()))),
                StringColumn.create("note", claims.stream().map(Claims::note)));
    }

    private static DoubleColumn numbers(String name, List<Claim> claims, ToDoubleFunction<Claim> number) {
        return DoubleColumn.create(name, claims.stream().mapToDouble(number));
    }

    private static String guessed(Claim claim) {
        return claim.guess().map(Claim.Guessed::told).orElse("");
    }

    /** In percent; a value just beyond the bound must not become 100, which would hold. */
    private static int percent(double used) {
        if (!Double.isFinite(used)) {
            return IntColumnType.missingValueIndicator();
        }
        int rounded = (int) Math.round(used * 100);
        return used > 1 ? Math.max(101, rounded) : rounded;
    }

    private static String note(Claim claim) {
        double used = claim.marginUsed();
        if (claim.verdict() == Outcome.NOT_JUDGED) {
            var reason = claim.detail().split(Pattern.quote(Prediction.NOT_JUDGED), 2)[1];
            return "not judged: " + reason.split("[,.]", 2)[0];
        }
        if (Double.isNaN(used)) {
            return "not measured";
        }
        if (used > 1) {
            return "beyond the bound";
        }
        if (claim.verdict() == Outcome.BROKEN) {
            return "a trial failed";
        }
        return used > TIGHT ? "tight" : "";
    }
}
