package whatwaits.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import whatwaits.look.Evidence;
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
            assertTrue(
                    recorded.out().contains("Java 25") || recorded.says("CARRIERS", "pinned by waits "),
                    recorded.out());

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
        assertTrue(group.get("line").getAsString().startsWith("Service.wantLock("), group.toString());
        var page = Files.readString(folder.resolve("a.html"));
        assertEquals(5, page.split("<svg ").length, page);
        assertTrue(page.indexOf(MET) < page.indexOf("<svg "), page);
        assertFalse(page.matches("(?s).*(src|href)=.*"), "the page needs something else");
    }

    private void endsAreMissing() throws IOException {
        var dump = Told.by("read", cut("d.json", 40_000));
        assertTrue(dump.says("virtual wait for a lock", "NOT SEEN\n  the end of the dump: "), dump.out());
        var zip = Told.by("read", cut("a.zip", 12_000));
        assertTrue(zip.says("process ", "NOT SEEN\n", "is cut off or damaged in "), zip.toString());
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
            assertEquals("[about.json, dump.json, events.jfr, format.txt, samples.json]", parts.toString());
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

    private String zip(String... parts) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var zip = new ZipOutputStream(bytes)) {
            for (int i = 0; i < parts.length; i += 2) {
                zip.putNextEntry(new ZipEntry(parts[i]));
                zip.write(parts[i + 1].getBytes(StandardCharsets.UTF_8));
            }
        }
        return Files.write(folder.resolve("made.zip"), bytes.toByteArray()).toString();
    }

    private static void refuses(String file, String part) {
        var told = Told.by("read", file);
        assertEquals(2, told.code(), told.toString());
        assertEquals(1, told.errors().lines().count(), told.errors());
        assertTrue(told.errors().contains(part), told.errors());
    }

    @Test
    void a_zip_of_something_else_is_refused_in_one_sentence() throws IOException {
        for (String about : List.of("{}", "null", "[]", "{\"pid\": \"x\"}", "{\"missing\": [null]}", "")) {
            refuses(zip("about.json", about), "its about.json cannot be read");
        }
        refuses(zip("other", "{}"), "it is JSON without threads; take a dump with");
    }

    @Test
    void a_zip_without_the_number_of_its_format_is_read_and_a_newer_one_refused() throws IOException {
        Evidence.read(Path.of("src/test/resources/whatwaits/rules/idle.json")).save(folder.resolve("now.zip"));
        String about;
        try (var zip = new ZipFile(file("now.zip"))) {
            assertEquals(
                    "1",
                    new String(zip.getInputStream(zip.getEntry("format.txt")).readAllBytes()),
                    "its format");
            about = new String(zip.getInputStream(zip.getEntry("about.json")).readAllBytes(), StandardCharsets.UTF_8);
        }
        var text = Files.readString(Path.of("src/test/resources/whatwaits/rules/idle.json"));
        assertEquals(
                0, Told.by("read", zip("about.json", about, "dump.json", text)).code());
        refuses(zip("format.txt", "2", "about.json", about, "dump.json", text), "has format 2");
    }

    @Test
    void a_damaged_part_is_refused_or_named() throws IOException {
        Evidence.read(Path.of("src/test/resources/whatwaits/rules/idle.json")).save(folder.resolve("whole.zip"));
        String about;
        try (var zip = new ZipFile(file("whole.zip"))) {
            about = new String(zip.getInputStream(zip.getEntry("about.json")).readAllBytes(), StandardCharsets.UTF_8)
                    .replaceFirst("\\{", "{\"pid\": 4711,");
        }
        for (String samples : List.of("[null]", "[{}]", "{}", "[[]]", "[")) {
            refuses(zip("about.json", about, "samples.json", samples), "its samples.json cannot be read");
        }
        for (String dump :
                List.of("{}", "[]", "{\"threadDump\": 1}", "{\"threadDump\": {\"threadContainers\": [1]}}")) {
            refuses(zip("about.json", about, "dump.json", dump), "is damaged");
        }
        var text = new Random(1)
                .ints(5_000, 'a', 'z')
                .mapToObj(Character::toString)
                .collect(Collectors.joining());
        var bytes = Files.readAllBytes(Path.of(zip("about.json", about, "threads-1.txt", text)));
        bytes[new String(bytes, StandardCharsets.ISO_8859_1).indexOf("threads-1.txt") + 500] ^= 0x55;
        var told = Told.by("read", Files.write(folder.resolve("bad.zip"), bytes).toString());
        assertTrue(
                (told.out() + told.errors()).contains("bad.zip is cut off or damaged in threads-1.txt"),
                told.toString());
        assertNotEquals(1, told.code());
    }

    @Test
    void a_zip_that_unpacks_to_more_than_the_heap_bears_is_refused() throws IOException {
        var file = folder.resolve("bomb.zip");
        var zeros = new byte[1 << 20];
        try (var zip = new ZipOutputStream(Files.newOutputStream(file))) {
            zip.putNextEntry(new ZipEntry("dump.json"));
            for (long left = Runtime.getRuntime().maxMemory() / 4; left > 0; left -= zeros.length) {
                zip.write(zeros);
            }
        }
        refuses(file.toString(), "unpacks to more than");
    }

    @Test
    void an_error_is_never_taken_for_something_named() {
        for (Error error : List.of(new StackOverflowError(), new OutOfMemoryError(), new AssertionError())) {
            var out = new PrintWriter(new StringWriter()) {
                @Override
                public void flush() {
                    throw error;
                }
            };
            assertEquals(2, Whatwaits.run(out, new PrintWriter(new StringWriter()), "--help"));
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

    @Test
    void several_files_a_zip_and_gzip_are_read_together() throws IOException {
        var dump = Path.of("src/test/resources/whatwaits/rules/circles/monitors.json");
        var text = Files.readString(dump);
        var later = text.replace("{\"runtimeVersion\"", "{\"time\": \"2026-11-20T09:14:13.5Z\", \"runtimeVersion\"");
        var packed = zip("one.json", text, "deep/two.json", later, "empty.txt", "", "r.jfr", "FLR\0");
        var gzip = folder.resolve("one.json.gz");
        try (var out = new GZIPOutputStream(Files.newOutputStream(gzip))) {
            out.write(later.getBytes(StandardCharsets.UTF_8));
        }
        for (String[] files : new String[][] {{packed}, {gzip.toString(), dump.toString()}}) {
            var command = new ArrayList<>(List.of("read"));
            command.addAll(List.of(files));
            var told = Told.by(command.toArray(String[]::new));
            assertTrue(told.says("A circle (proven", "THE DUMPS TOGETHER", "2 dumps of one JVM"), told.toString());
            assertEquals(1, told.code());
        }
        assertTrue(Told.by("read", packed).says("NOT SEEN", "r.jfr in it: unpack it"));
        var copied = Told.by("read", dump.toString(), zip("copy.json", text));
        assertTrue(copied.says("the files monitors.json, ", "a second look: a dump is there twice"), copied.toString());
        var bytes = Files.readAllBytes(gzip);
        Files.write(gzip, Arrays.copyOf(bytes, bytes.length - 200));
        assertTrue(Told.by("read", gzip.toString()).out().contains("the end of one.json.gz"));
        for (int few : new int[] {3, 12}) {
            Files.write(gzip, Arrays.copyOf(bytes, few));
            refuses(gzip.toString(), "the end of one.json.gz: it is cut off or damaged");
        }
    }

    @Test
    void a_file_of_any_size_is_known_by_its_first_bytes() throws IOException {
        for (String[] one : new String[][] {
            {"JAVA PROFILE 1.0.2", "it is a heap dump"},
            {"\177ELF\2\1\1\0\0\0\0\0\0\0\0\0\4\0", "it is a core"},
            {
                "FLR\0",
                "is a recording of 3072 MB, and up to 2047 MB are read: leave out what is not needed, with jfr scrub"
            }
        }) {
            var file = Files.writeString(folder.resolve("large"), one[0], StandardCharsets.ISO_8859_1);
            try (var sparse = new RandomAccessFile(file.toFile(), "rw")) {
                sparse.setLength(3L << 30);
            }
            refuses(file.toString(), one[1]);
        }
    }

    @Test
    void the_dumps_of_a_large_log_are_read_as_it_comes() throws IOException {
        var print = Files.readString(Path.of("src/test/resources/whatwaits/rules/forms/locks-print.txt"));
        var file = folder.resolve("large.log");
        var gzip = folder.resolve("large.log.gz");
        var zip = folder.resolve("large.zip");
        try (var plain = Files.newOutputStream(file);
                var packed = new GZIPOutputStream(Files.newOutputStream(gzip));
                var both = new ZipOutputStream(Files.newOutputStream(zip))) {
            both.putNextEntry(new ZipEntry("large.log"));
            for (OutputStream out : List.of(plain, packed, both)) {
                var line = "served, and nothing else happened\n".repeat(1 << 10).getBytes(StandardCharsets.UTF_8);
                for (int left = 20 << 20; left > 0; left -= line.length) {
                    out.write(line);
                }
                out.write(print.getBytes(StandardCharsets.UTF_8));
                // so much, even of what does not pack well, that a cut takes nothing of the dump
                for (int i = 0; i < 100_000; i++) {
                    out.write((i * 7_919L % 104_729 + "\n").getBytes(StandardCharsets.UTF_8));
                }
            }
        }
        assertTrue(Evidence.read(file).prints().isEmpty(), "it is kept");
        var read = Told.by("read", file.toString());
        assertTrue(read.says("A circle (proven"), read.toString());
        for (String other : List.of(gzip.toString(), zip.toString())) {
            var told = Told.by("read", other);
            assertEquals(read.out(), told.out().replaceFirst("large\\.(log\\.gz|zip)", "large.log"));
        }
        var told = Told.by("read", cut("large.log.gz", (int) Files.size(gzip) - 100));
        assertTrue(told.says("A circle (proven", "the end of cut-large.log.gz: it is cut off or damaged"), told.out());
    }

    @Test
    void a_folder_is_refused_with_the_way_to_read_its_files() {
        refuses(folder.toString(), "is a folder: give the files in it, as in ");
    }

    @Test
    void what_is_no_text_in_a_zip_is_named_and_the_rest_is_read() throws IOException {
        var print = Files.readString(Path.of("src/test/resources/whatwaits/rules/forms/locks-print.txt"));
        var packed = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(packed)) {
            gzip.write(print.getBytes(StandardCharsets.UTF_8));
        }
        var file = folder.resolve("bundle.zip");
        try (var zip = new ZipOutputStream(Files.newOutputStream(file))) {
            zip.putNextEntry(new ZipEntry("a/heap.hprof"));
            zip.write("JAVA PROFILE 1.0.2\0".getBytes(StandardCharsets.UTF_8));
            zip.putNextEntry(new ZipEntry("app.log.gz"));
            zip.write(packed.toByteArray());
        }
        var told = Told.by("read", file.toString());
        assertTrue(told.says("A circle (proven", "a/heap.hprof in it: it is a heap dump"), told.toString());
        refuses(zip("core.hprof", "JAVA PROFILE 1.0.2"), "core.hprof in it: it is a heap dump");
    }

    @Test
    void a_heap_that_is_too_small_is_never_answered_with_a_smaller_one() {
        assertTrue(Whatwaits.tooSmall(1L << 30).contains("-Xmx4g"), Whatwaits.tooSmall(1L << 30));
        assertTrue(Whatwaits.tooSmall(6_028L << 20).contains("-Xmx12g"), Whatwaits.tooSmall(6_028L << 20));
    }

    @Test
    void a_recording_that_is_not_whole_ends_in_a_sentence_within_three_seconds_and_leaves_nothing() throws Exception {
        var recorded = folder.resolve("whole.jfr");
        try (var recording = new Recording()) {
            recording.enable("jdk.ThreadDump").withPeriod(Duration.ofMillis(200));
            recording.start();
            Thread.sleep(700);
            recording.stop();
            recording.dump(recorded);
        }
        assertTrue(Told.by("read", recorded.toString()).says("THE DUMPS TOGETHER", "dumps of one JVM"));
        var whole = Files.readAllBytes(recorded);
        var header = Arrays.copyOf(whole, 68);
        var unfinished = Arrays.copyOf(header, 8_260);
        var wrong = whole.clone();
        Arrays.fill(wrong, 8, 16, (byte) 0x7f);
        var noise = whole.clone();
        new Random(3).nextBytes(noise);
        System.arraycopy(header, 0, noise, 0, header.length);
        var before = left();
        for (byte[] bytes : List.of(header, unfinished, wrong, noise, Arrays.copyOf(whole, 1_000))) {
            var file = Files.write(folder.resolve("bad.jfr"), bytes);
            long begin = System.nanoTime();
            var told = Told.by("read", file.toString());
            assertTrue(System.nanoTime() - begin < 3e9, "it took " + (System.nanoTime() - begin) / 1e9 + " s");
            assertEquals(2, told.code(), told.toString());
            assertEquals(1, told.errors().lines().count(), told.errors());
        }
        assertEquals(before, left());
        // a whole chunk, and one that is being written
        var more = new ByteArrayOutputStream();
        more.write(whole);
        more.write(unfinished);
        var told = Told.by(
                "read",
                Files.write(folder.resolve("more.jfr"), more.toByteArray()).toString());
        assertTrue(told.says("dumps of one JVM", "the end of the recording"), told.toString());
    }

    private static List<String> left() throws IOException {
        try (var all = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
            return all.map(Path::toString)
                    .filter(name -> name.contains("whatwaits-") && name.endsWith(".jfr"))
                    .sorted()
                    .toList();
        }
    }
}
