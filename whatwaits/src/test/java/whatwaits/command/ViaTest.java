package whatwaits.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import whatwaits.look.Watched;

/** A JVM elsewhere, reached by a prefix: here a script that runs what follows it, and notes it. Takes 30 s. */
@Tag("deep")
class ViaTest {

    @TempDir
    private Path folder;

    private Path ran;

    @BeforeEach
    void needsAShell() {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "no shell here");
        ran = folder.resolve("ran.txt");
    }

    private String prefix(String does) throws IOException {
        var script = Files.writeString(
                folder.resolve("there"),
                "#!/bin/sh\nexport PATH=%s%s$PATH\necho \"$@\" >> %s\n%s\n"
                        .formatted(Path.of(Watched.tool("jcmd")).getParent(), File.pathSeparator, ran, does));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        return script.toString();
    }

    private static void isRefused(Told told, String... parts) {
        assertEquals(2, told.code(), told.toString());
        assertEquals(1, told.errors().lines().count(), told.errors());
        for (String part : parts) {
            assertTrue(told.errors().contains(part), told.errors());
        }
    }

    @Test
    void it_is_found_and_named_with_its_line_and_nothing_is_left_there() throws Exception {
        try (var watched = Watched.on(Runtime.version().feature(), folder, 40)) {
            var there = prefix("exec \"$@\"");
            var pid = String.valueOf(watched.pid());
            var told = Told.by("look", "--via", there, pid, "--dumps", "--seconds=1");
            assertEquals(1, told.code(), told.toString());
            assertTrue(
                    told.says(
                            "process %d by %s, Service, Java".formatted(watched.pid(), there),
                            "VERDICT\n  The limit that is met: the lock ReentrantLock",
                            "at Service.wantLock(Service.java:",
                            "pinned by waits ",
                            "NOT SEEN\n  its sockets, the CPU time of compilers"),
                    told.toString());
            var commands = Files.readString(ran);
            var made =
                    commands.lines().filter(line -> line.startsWith("mktemp ")).toList();
            assertEquals(1, made.size(), commands);
            assertTrue(commands.lines().toList().getLast().startsWith("rm -rf /tmp/whatwaits-"), commands);
            try (var left = Files.list(Path.of("/tmp"))) {
                var name = "whatwaits-%d-".formatted(watched.pid());
                assertTrue(left.noneMatch(file -> file.getFileName().toString().startsWith(name)));
            }
            // where no file can be made, the rest is seen
            var full = prefix("case $1 in mktemp) echo no room >&2; exit 1;; esac; exec \"$@\"");
            var less = Told.by("look", "--via", full, pid, "--dumps", "--seconds=1");
            assertTrue(
                    less.says(
                            "1 platform waits for a lock", "NOT SEEN\n  all threads, pins, files and pauses: no room"),
                    less.toString());
            var ticks = Told.by("watch", "--via", there, pid, "--seconds=1");
            assertTrue(ticks.says("CPUs unknown, carriers "), ticks.toString());
        }
    }

    /** As kubectl, docker and ssh do it: the last gives one line to a shell there, whatever the words were. */
    @Test
    void a_pod_a_container_and_another_host_are_reached_alike() throws Exception {
        var ways = Map.of(
                "%s exec shop-7f9c --", "[ \"$1 $2 $3\" = 'exec shop-7f9c --' ] || exit 9; shift 3; exec \"$@\"",
                "%s exec shop", "[ \"$1 $2\" = 'exec shop' ] || exit 9; shift 2; exec \"$@\"",
                "%s shop.example", "[ \"$1\" = shop.example ] || exit 9; shift; exec sh -c \"$*\"");
        try (var watched = Watched.on(Runtime.version().feature(), folder, 40)) {
            for (var way : ways.entrySet()) {
                var via = way.getKey().replace("%s", prefix(way.getValue()));
                var told = Told.by("look", String.valueOf(watched.pid()), "--via", via, "--dumps", "--seconds=1");
                assertTrue(
                        told.says(
                                "VERDICT\n  The limit that is met: the lock ReentrantLock",
                                "40 virtual wait",
                                "pinned by waits "),
                        told.toString());
            }
        }
    }

    @Test
    void who_cannot_be_reached_is_refused_in_one_sentence() throws Exception {
        isRefused(Told.by("look", "--via", folder.resolve("none").toString()), "cannot be used", "needs a JDK there");
        isRefused(Told.by("look", "--via", prefix("echo no such pod >&2; exit 1")), "no such pod");
        var none = prefix("echo 7 jdk.jcmd/sun.tools.jcmd.JCmd -l");
        isRefused(Told.by("look", "--via", none), "lists no such JVM");
        var two = prefix("echo 7 shop.Shop a; echo 8 bank.jar");
        isRefused(Told.by("look", "--via", two), "lists 2 JVMs, so give a process ID: 7 (shop.Shop), 8 (bank.jar)");
        isRefused(Told.by("look"), "give a process ID or a name");
    }
}
