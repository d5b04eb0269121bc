package whatwaits.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a script reads: the schema holds, and the first finding decides. */
class JsonTest {

    private static final Path DUMPS = Path.of("src/test/resources/whatwaits/rules");

    @TempDir
    private Path folder;

    private static JsonObject read(Path file) {
        return JsonParser.parseString(Told.by("read", "--json", file.toString()).out())
                .getAsJsonObject();
    }

    private static JsonObject first(JsonObject report) {
        return report.getAsJsonArray("findings").get(0).getAsJsonObject();
    }

    private static JsonObject schema() throws IOException {
        return JsonParser.parseString(Files.readString(Path.of("report.schema.json")))
                .getAsJsonObject();
    }

    /** Holds a value to the parts of the language of schemas that ours uses. */
    private static void hold(JsonElement value, JsonObject to, JsonObject schema, String at) {
        if (to.has("$ref") && to.get("$ref").getAsString().equals("#")) {
            hold(value, schema, schema, at);
            return;
        }
        if (to.has("$ref")) {
            var name = to.get("$ref").getAsString().replaceFirst(".*/", "");
            hold(value, schema.getAsJsonObject("$defs").getAsJsonObject(name), schema, at);
            return;
        }
        if (to.has("enum")) {
            assertTrue(to.getAsJsonArray("enum").contains(value), at + ": " + value);
            return;
        }
        if (to.has("const")) {
            assertEquals(to.get("const").getAsInt(), value.getAsInt(), at);
            return;
        }
        switch (to.get("type").getAsString()) {
            case "string" -> assertTrue(value.getAsJsonPrimitive().isString(), at);
            case "boolean" -> assertTrue(value.getAsJsonPrimitive().isBoolean(), at);
            case "number" -> assertTrue(value.getAsJsonPrimitive().isNumber(), at);
            case "integer" -> assertEquals(value.getAsDouble(), value.getAsLong(), at);
            case "array" ->
                value.getAsJsonArray().forEach(one -> hold(one, to.getAsJsonObject("items"), schema, at + "[]"));
            default -> {
                var object = value.getAsJsonObject();
                if (to.has("required")) {
                    to.getAsJsonArray("required")
                            .forEach(name -> assertTrue(object.has(name.getAsString()), at + " lacks " + name));
                }
                object.asMap().forEach((name, part) -> {
                    var known = to.has("properties")
                            ? to.getAsJsonObject("properties").get(name)
                            : to.get("additionalProperties");
                    assertTrue(known != null, at + " has " + name + ", of which the schema says nothing");
                    hold(part, known.getAsJsonObject(), schema, at + "." + name);
                });
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "hikari",
                "semaphore",
                "idle",
                "native",
                "servers/tomcat-full",
                "servers/h2-row",
                "circles/philosophers"
            })
    void the_schema_says_all_that_is_in_a_report(String dump) throws IOException {
        var schema = schema();
        hold(read(DUMPS.resolve(dump + ".json")), schema, schema, "report");
    }

    @Test
    void of_several_jvms_there_is_one_document_the_worst_first_and_they_are_told_apart() throws IOException {
        var one = Files.readString(DUMPS.resolve("idle.json"));
        var other = Files.readString(DUMPS.resolve("circles/philosophers.json"));
        var both = folder.resolve("both.json");
        Files.writeString(both, process(one, 4711) + process(other, 4712) + process(one, 4713));
        var report = read(both);
        var schema = schema();
        hold(report, schema, schema, "report");
        var sources = new ArrayList<String>();
        sources.add(report.get("source").getAsString());
        report.getAsJsonArray("others")
                .forEach(two -> sources.add(two.getAsJsonObject().get("source").getAsString()));
        assertEquals("circle", first(report).get("what").getAsString());
        assertEquals(
                List.of(
                        "the file both.json, process 4712",
                        "the file both.json, process 4711",
                        "the file both.json, process 4713"),
                sources.stream()
                        .map(source -> source.replaceFirst(", dumped at .*", ""))
                        .toList());
        var page = folder.resolve("both.html");
        var told = Told.by("read", both.toString(), "--html", page.toString());
        assertEquals(1, told.code());
        assertTrue(told.out().startsWith("the file both.json, process 4712"), told.out());
        assertEquals(4, Files.readString(page).split("<h1>").length);
    }

    private static String process(String dump, int pid) {
        return dump.replaceFirst("\"processId\": *\"?\\d+\"?,", "")
                .replaceFirst("\"threadDump\": *\\{", "\"threadDump\": {\"processId\": \"" + pid + "\", ");
    }

    @Test
    void the_first_finding_says_which_limit_comes_first() {
        var limit = first(read(DUMPS.resolve("hikari.json")));
        assertEquals("limit", limit.get("what").getAsString());
        assertEquals("connections", limit.get("kind").getAsString());
        assertEquals(3, limit.get("waiting").getAsInt());
        assertTrue(limit.get("line").getAsString().startsWith("Libraries."), limit.toString());
        assertEquals(
                limit.get("line"),
                limit.getAsJsonArray("waiters").get(0).getAsJsonObject().get("line"));
        assertFalse(limit.has("object"), "a pool has no number");
        var circle = first(read(DUMPS.resolve("circles/philosophers.json")));
        assertEquals("circle", circle.get("what").getAsString());
        assertTrue(List.of("proven", "probable").contains(circle.get("kind").getAsString()), circle.toString());
        var idle = read(DUMPS.resolve("idle.json")).getAsJsonArray("findings");
        idle.forEach(
                one -> assertEquals("defect", one.getAsJsonObject().get("what").getAsString()));
    }

    @Test
    void who_holds_a_lock_is_named_beside_those_that_wait() {
        var lock = first(read(Path.of("../site/samples/lock.txt")));
        assertEquals("lock", lock.get("kind").getAsString());
        var holder = lock.getAsJsonArray("holders").get(0).getAsJsonObject();
        assertEquals(1, holder.get("threads").getAsInt(), lock.toString());
        assertTrue(holder.get("names").getAsJsonArray().size() == 1, lock.toString());
    }

    @Test
    void after_a_restart_the_names_are_the_same() throws IOException {
        var before = DUMPS.resolve("semaphore.json");
        var after = folder.resolve("after.json");
        // another run gives its objects other numbers
        Files.writeString(after, Files.readString(before).replaceAll("@[0-9a-f]+", "@7777"));
        var one = first(read(before));
        var other = first(read(after));
        for (String part : List.of("what", "kind", "name", "class", "line", "waiting", "waiters")) {
            assertEquals(one.get(part), other.get(part));
        }
        assertEquals("java.util.concurrent.Semaphore", one.get("class").getAsString());
        assertFalse(one.get("object").equals(other.get("object")), one.toString());
        assertFalse(one.get("name").getAsString().contains("@"), one.toString());
    }

    @Test
    void several_dumps_are_told_by_the_schema_too() throws IOException {
        var print = """
                2026-11-20 09:14:%s
                Full thread dump OpenJDK 64-Bit Server VM (25.0.3+9-LTS mixed mode, sharing):

                "desk-1" #31 [7031] prio=5 os_prio=0 cpu=%s elapsed=512.30s tid=0x00007f2a5000001f nid=7031 runnable  [0x0]
                   java.lang.Thread.State: RUNNABLE
                \tat shop.Ledger.book(Ledger.java:27)
                \t- locked <0x00000000e1a04c50> (a shop.Ledger)

                "desk-2" #32 [7032] prio=5 os_prio=0 cpu=2.20ms elapsed=512.30s tid=0x00007f2a50000020 nid=7032 waiting for monitor entry  [0x0]
                   java.lang.Thread.State: BLOCKED (on object monitor)
                \tat shop.Ledger.book(Ledger.java:24)
                \t- waiting to lock <0x00000000e1a04c50> (a shop.Ledger)

                """;
        var log = folder.resolve("service.log");
        Files.writeString(log, print.formatted("03", "3.10ms") + "serving\n" + print.formatted("13", "9003.10ms"));
        var report = read(log);
        hold(report, schema(), schema(), "report");
        var series = report.getAsJsonObject("series");
        assertEquals(2, series.get("dumps").getAsInt());
        assertEquals(10, series.get("seconds").getAsDouble());
        assertEquals(
                0.9,
                series.getAsJsonArray("cpus")
                        .get(0)
                        .getAsJsonObject()
                        .get("cpus")
                        .getAsDouble(),
                1e-6);
        assertEquals(
                "desk-1",
                series.getAsJsonArray("holders")
                        .get(0)
                        .getAsJsonObject()
                        .get("name")
                        .getAsString());
        assertEquals("the lock shop.Ledger", first(report).get("name").getAsString(), "it waits in both");
    }
}
