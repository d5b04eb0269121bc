package threadlab.load;

import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.IntColumn;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import threadlab.measure.Kind;

/** The row of a run in a table; {@link Load} describes its columns. */
final class Row {

    private Row() {}

    static Table none(String what) {
        var table = Table.create(
                what,
                StringColumn.create("contender"),
                StringColumn.create("kind"),
                IntColumn.create("n"),
                IntColumn.create("trial"),
                DoubleColumn.create("seconds"),
                DoubleColumn.create("requests/s"));
        for (Latency latency : Latency.values()) {
            table.addColumns(DoubleColumn.create(latency.column()));
        }
        table.addColumns(IntColumn.create("requests"));
        for (Failure failure : Failure.values()) {
            table.addColumns(IntColumn.create(failure.column()));
        }
        return table.addColumns(
                IntColumn.create("resent"),
                DoubleColumn.create("generator late, p99 (ms)"),
                DoubleColumn.create("generator CPU (s)"),
                DoubleColumn.create("server CPU (s)"),
                StringColumn.create("bottleneck"),
                StringColumn.create("outcome"));
    }

    static Table of(Kind kind, String server, int trial, Plan plan, LoadResult measured) {
        var row = none(
                switch (plan.loop()) {
                    case Loop.Closed _ -> "n clients";
                    case Loop.Open _ -> "n requests per second";
                });
        row.stringColumn("contender").append(server);
        row.stringColumn("kind").append(kind.toString());
        row.intColumn("n").append(plan.loop().n());
        row.intColumn("trial").append(trial);
        row.doubleColumn("seconds").append(measured.seconds());
        row.doubleColumn("requests/s").append(measured.good() / measured.seconds());
        measured.latencies()
                .forEach((latency, ms) -> row.doubleColumn(latency.column()).append(ms));
        row.intColumn("requests").append(measured.requests());
        for (Failure failure : Failure.values()) {
            row.intColumn(failure.column()).append(measured.failed(failure));
        }
        row.intColumn("resent").append(measured.resent());
        row.doubleColumn("generator late, p99 (ms)").append(measured.late());
        row.doubleColumn("generator CPU (s)").append(measured.cpu().generatorSeconds());
        row.doubleColumn("server CPU (s)").append(measured.cpu().serverSeconds());
        row.stringColumn("bottleneck").append(measured.bottleneck().name());
        row.stringColumn("outcome").append(measured.outcome(plan.requests()));
        return row;
    }
}
