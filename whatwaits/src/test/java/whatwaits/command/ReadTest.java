package whatwaits.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import whatwaits.look.Watched;

/** Files say the same as the running program. Takes 8 s. */
@Tag("deep")
class ReadTest {

    private static final String MET = "The limit that is met: the lock ReentrantLock";
    private static final String SECRET = "hunter2";

    @TempDir
    private Path folder;

    private String file(String name) {
        return folder.resolve(name).toString();
    }

    private String cut(String name, int bytes) throws IOException {
        var all = Files.readAllBytes(folder.resolve(name));
        assertTrue(bytes < all.length, name + " has only " + all.length + " bytes");
        return Files.write(folder.resolve("cut-" + name), Arrays.copyOf(all, bytes))
                .toString();
    }

    private static void jcmd(Watched watched, String... question) throws Exception {
        var command = new ArrayList<>(List.of(Watched.tool("jcmd"), String.valueOf(watched.pid())));
        command.addAll(List.of(question));
        var asked = new ProcessBuilder(command).redirectErrorStream(true).start();
        var answer = new String(asked.getInputStream().readAllBytes());
        assertEquals(0, asked.waitFor(), answer);
    }

    @Test
    void a_saved_look_a_dump_and_a_recording_say_what_the_running_program_said() throws Exception {
        // another recording, which has the program's arguments and properties
        var options =
                List.of(Watched.tool("java"), "-Dpassword=" + SECRET, "-XX:StartFlightRecording:settings=profile");
        try (var watched = Watched.by(options, folder, 40, SECRET)) {
            var pid = String.valueOf(watched.pid());
            var seen =
                    Told.by("look", pid, "--dumps", "--seconds=1", "--save", file("a.zip"), "--html", file("a.html"));
            assertTrue(seen.says(MET, "Service.wantLock("), seen.out());
            var read = Told.by("read", file("a.zip"));
            assertEquals(seen.out(), read.out());
            assertEquals(seen.code(), read.code());

            jcmd(watched, "Thread.dump_to_file", "-format=json", file("d.json"));
            jcmd(watched, "Thread.dump_to_file", file("d.txt"));
            jcmd(watched, "JFR.dump", "filename=" + file("r.jfr"));
            for (String dump : List.of("d.json", "d.txt")) {
                var told = Told.by("read", file(dump));
                assertTrue(told.says(MET, "40 virtual wait for a lock", "Service.wantLock("), told.out());
                assertEquals(1, told.code());
            }
            var recorded = Told.by("read", file("r.jfr"));
            assertTrue(recorded.out().contains("Java 25") || recorded.says("CARRIERS", "pinned: "), recorded.out());

            forProgramsAndPeople();
            endsAreMissing();
            holdsNoSecret();
        }
    }

    private void forProgramsAndPeople() throws IOException {
        var json = JsonParser.parseString(
                        Told.by("read", "--json", file("a.zip")).out())
                .getAsJsonObject();
        var lock = json.getAsJsonArray("limits").get(0).getAsJsonObject();
        assertEquals(
                "lock true 40.0", lock.get("kind").getAsString() + " " + lock.get("met") + " " + lock.get("waiting"));
        var group = json.getAsJsonArray("groups").get(0).getAsJsonObject();
        assertTrue(group.get("at").getAsString().startsWith("Service.wantLock("), group.toString());
        var page = Files.readString(folder.resolve("a.html"));
        assertEquals(5, page.split("<svg ").length, page);
        assertTrue(page.indexOf(MET) < page.indexOf("<svg "), page);
        assertFalse(page.matches("(?s).*(src|href)=.*"), "the page needs something else");
    }

    private void endsAreMissing() throws IOException {
        var dump = Told.by("read", cut("d.json", 40_000));
        assertTrue(dump.says("virtual wait for a lock", "NOT SEEN\n  the end of the dump: "), dump.out());
        var zip = Told.by("read", cut("a.zip", 12_000));
        assertTrue(zip.says("process ", "NOT SEEN\n", "is cut off in "), zip.toString());
        var recording = Told.by("read", cut("r.jfr", 50_000));
        assertEquals(2, recording.code());
        assertTrue(recording.errors().contains("none of its events can be read"), recording.errors());
    }

    private void holdsNoSecret() throws IOException {
        assertFalse(Files.readString(folder.resolve("a.html")).contains(SECRET));
        try (var zip = new ZipInputStream(Files.newInputStream(folder.resolve("a.zip")))) {
            var parts = new TreeSet<String>();
            for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                parts.add(entry.getName());
                var text = new String(zip.readAllBytes(), StandardCharsets.ISO_8859_1);
                assertFalse(text.isEmpty(), entry.getName());
                assertFalse(text.contains(SECRET), entry.getName());
            }
            // a second dump only where the first leaves a doubt
            parts.remove("later.json");
            var prints = List.of("threads-1.txt", "threads-2.txt", "threads-3.txt");
            assertTrue(parts.containsAll(prints) && parts.removeAll(prints), parts.toString());
            assertEquals("[about.json, dump.json, events.jfr, samples.json]", parts.toString());
        }
    }

    @Test
    void what_is_none_of_these_is_refused_in_one_sentence() throws IOException {
        Files.writeString(folder.resolve("other"), "hello");
        for (String name : List.of("other", "none")) {
            var told = Told.by("read", file(name));
            assertEquals(2, told.code());
            assertEquals(1, told.errors().lines().count(), told.errors());
            assertTrue(told.errors().contains(name), told.errors());
        }
    }

    @Test
    void a_switch_is_checked_by_what_the_second_look_names_and_the_first_does_not() throws Exception {
        try (var watched = Watched.on(Runtime.version().feature(), folder, 40)) {
            var pid = String.valueOf(watched.pid());
            Told.by("look", pid, "--no-dumps", "--seconds=1", "--save", file("a.zip"));
            Told.by("look", pid, "--dumps", "--seconds=1", "--save", file("b.zip"));
            var told = Told.by("check", file("a.zip"), file("b.zip"));
            assertTrue(told.says("limit met: ", " -> the lock ReentrantLock", "virtual threads: 0.0 -> "), told.out());
            assertEquals(0, Told.by("check", file("b.zip"), file("b.zip")).code());
        }
    }
}
