package threadlab.cases;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import threadlab.server.LocalPostgres;

/** The content of the shop's database: the items, and how much the shop computes and waits for an order. */
final class ShopData {

    private ShopData() {}

    /** Drops all tables and creates them with the data of this case. */
    static void fill(LocalPostgres database, FaultyShop draw, List<Path> texts) {
        try (var connection = database.connect();
                var sql = connection.createStatement()) {
            sql.execute("""
                    drop schema public cascade;
                    create schema public;
                    create table items (id int, name text, text text, shelf int, watched boolean, courier boolean);
                    create table suppliers (id int);
                    create table settings (name text, value int);
                    create table orders (id serial, item int, price int);
                    create table notes (id serial, item int);""");
            for (int i = 0; i < texts.size(); i++) {
                sql.execute("insert into items values (%d, 'tea %d', '%s', %d, %b, %b)"
                        .formatted(i, i, texts.get(i), i % draw.shelves, draw.watched, draw.courier));
            }
            for (int i = 1; i <= draw.suppliers; i++) {
                sql.execute("insert into suppliers values (%d)".formatted(i));
            }
            var settings = Map.of(
                    "patience in ms", draw.patienceMs,
                    "rounds of a seal", rounds(draw.sealMs),
                    "strokes of a page", rounds(draw.pageMs));
            for (var setting : settings.entrySet()) {
                sql.execute("insert into settings values ('%s', %d)".formatted(setting.getKey(), setting.getValue()));
            }
            if (draw.databaseMs > 0) {
                // like a disk that writes one row after the other
                sql.execute("""
                        create function slow() returns trigger as $$ begin
                            perform pg_advisory_lock(1); perform pg_sleep(%s); perform pg_advisory_unlock(1);
                            return new; end $$ language plpgsql;
                        create trigger slow before insert on orders for each row execute function slow();""".formatted(draw.databaseMs / 1_000.0));
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the database of the shop could not be filled: " + e.getMessage(), e);
        }
    }

    private static int rounds(int ms) {
        return ms == 0 ? 1_000 : (int) (ms * roundsPerMs());
    }

    /** Runs the shop's loop here to find how fast a CPU of this machine computes, whatever else it does meanwhile. */
    private static double roundsPerMs() {
        var cpu = ManagementFactory.getThreadMXBean();
        long seal = 1;
        int rounds = 20_000_000;
        long start = 0;
        for (int i = -rounds; i < rounds; i++) {
            if (i == 0) {
                start = cpu.getCurrentThreadCpuTime();
            }
            seal ^= seal << 13;
            seal ^= seal >>> 7;
            seal ^= seal << 17;
        }
        double ms = (cpu.getCurrentThreadCpuTime() - start) / 1e6;
        return seal == 0 ? 0 : rounds / ms;
    }
}
