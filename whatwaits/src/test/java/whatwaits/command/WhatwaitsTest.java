package whatwaits.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import whatwaits.look.LocalJvm;

/** What is typed: numbers out of range, files of which one is bad, names that several have. */
class WhatwaitsTest {

    private static final List<LocalJvm> TWO =
            List.of(new LocalJvm(11, "app.jar", "25.0.3", 5), new LocalJvm(22, "app.jar", null, 900));

    private static void refuses(String why, String... arguments) {
        var told = Told.by(arguments);
        assertEquals(2, told.code(), told.toString());
        assertTrue(told.errors().contains(why), told.errors());
    }

    @Test
    void a_number_below_zero_is_no_name_and_no_time() {
        refuses("-5", "look", "-5");
        refuses("-5 is neither a process ID nor a name", "look", "--", "-5");
        refuses("--seconds=-1 is below 0", "watch", "--seconds=-1", "1");
        refuses("--seconds=-1", "watch", "--seconds", "-1", "1");
        refuses("--seconds=-1.0 is not from 1 to 600", "look", "--seconds=-1", "1");
    }

    @Test
    void of_several_files_the_good_ones_are_read_and_the_bad_ones_named() {
        var good = Path.of("src/test/resources/whatwaits/rules/hikari.json").toString();
        var told = Told.by("read", "none", good, "nor-this");
        assertEquals(2, told.code());
        assertTrue(told.says("the file hikari.json", "The limit that is met: connections"), told.out());
        assertEquals(2, told.errors().lines().count(), told.errors());
        assertTrue(told.errors().matches("(?s)none .*nor-this .*"), told.errors());
    }

    /** It could clear the screen, or type into the shell that called the command. */
    @Test
    void a_name_does_not_command_the_terminal_and_brings_no_tag_into_the_page(@TempDir Path folder) throws IOException {
        var evil = "a.B\\u001b[2J\\u001b]52;c;eA==\\u0007\\u009b<img src=x onerror=1>.run(X.java:1)";
        var thread = """
                {"tid": "%%d", "virtual": true, "name": "n", "state": "WAITING", "stack": [
                "java.base/java.lang.VirtualThread.park(VirtualThread.java:1)",
                "java.base/java.util.concurrent.locks.LockSupport.park(LockSupport.java:1)", "%s"]}""".formatted(evil);
        var threads = IntStream.range(30, 60).mapToObj(thread::formatted).collect(Collectors.joining(","));
        var dump = Files.writeString(folder.resolve("dump.json"), """
                {"threadDump": {"processId": "1", "runtimeVersion": "25", "threadContainers": [
                {"container": "<root>", "parent": null, "owner": null, "threads": [%s]}]}}""".formatted(threads));
        var page = folder.resolve("page.html");
        var told = Told.by("read", dump.toString(), "--html", page.toString());
        assertTrue(told.says("a.B\uFFFD[2J\uFFFD]52;c;eA==\uFFFD\uFFFD<img src=x onerror=1>.run"), told.out());
        assertFalse(told.out().chars().anyMatch(c -> Character.isISOControl(c) && c != '\n'), told.out());
        assertFalse(Files.readString(page).contains("<img src=x"));
        assertFalse(Told.by("read", dump.toString(), "--json").out().contains("\u001b"));
        assertFalse(Told.by("read", "\u001b[2J").errors().contains("\u001b"));
    }

    @Test
    void who_has_the_same_name_is_told_apart() {
        var lines = Whatwaits.ListAll.lines(TWO, jvm -> "/srv/" + jvm.pid());
        assertTrue(lines.getFirst().endsWith("app.jar, in /srv/11"), lines.toString());
        assertTrue(lines.getLast().contains("Java ?"), lines.toString());
        var alone = Whatwaits.ListAll.lines(TWO.subList(0, 1), jvm -> "/srv/" + jvm.pid());
        assertTrue(alone.getFirst().endsWith("app.jar"), alone.toString());
        assertEquals(1, Whatwaits.ListAll.lines(List.of(), jvm -> "").size(), "an empty list says so");
        assertEquals(11, Whatwaits.Which.one("app", TWO.subList(0, 1)).pid());
        var several = assertThrows(IllegalArgumentException.class, () -> Whatwaits.Which.one("app", TWO));
        assertTrue(several.getMessage().endsWith("11 (app.jar, up 5 s), 22 (app.jar, up 900 s)"), several.getMessage());
    }
}
