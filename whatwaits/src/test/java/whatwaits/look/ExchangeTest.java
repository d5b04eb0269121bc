package whatwaits.look;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Another user cannot make root read or remove a file that is not that user's. Needs root, and is not skipped there. */
class ExchangeTest {

    private static final int NOBODY = 65534;
    private static final String NAME = "events.jfr";

    @TempDir
    private Path folder;

    private Process theirs;
    private Exchange exchange;
    private Path secret;
    private Path inside;

    @BeforeEach
    void share() throws Exception {
        assumeTrue(Target.isLinux() && "root".equals(System.getProperty("user.name")), "only root reads for others");
        theirs = new ProcessBuilder("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "sleep", "60")
                .start();
        var process = Path.of("/proc/" + theirs.pid());
        whatwaits.Expect.await("the process to be theirs", () -> uid(process) == NOBODY);
        exchange = Exchange.with(new Target(theirs.pid(), theirs.pid(), Path.of("/")), 0, true);
        secret = Files.writeString(folder.resolve("secret"), "another user's");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        inside = Path.of(exchange.file(NAME));
    }

    @AfterEach
    void end() {
        if (theirs != null) {
            exchange.close();
            theirs.destroyForcibly();
        }
    }

    private static int uid(Path file) throws IOException {
        return (int) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    private static void give(Path file) throws IOException {
        Files.setAttribute(file, "unix:uid", NOBODY, LinkOption.NOFOLLOW_LINKS);
    }

    private void isRefused(String why) {
        var refused = assertThrows(IOException.class, () -> exchange.read(NAME));
        assertTrue(refused.getMessage().contains(why), refused.getMessage());
        assertEquals(1, refused.getMessage().lines().count());
    }

    @Test
    void what_the_jvm_wrote_is_read_once() throws Exception {
        give(Files.writeString(inside, "events"));
        assertArrayEquals("events".getBytes(), exchange.read(NAME));
        assertFalse(Files.exists(inside));
    }

    @Test
    void a_link_is_not_followed() throws Exception {
        give(Files.createSymbolicLink(inside, secret));
        isRefused("is a link or no file");
        assertEquals("another user's", Files.readString(secret));
    }

    @Test
    void another_name_of_a_file_of_somebody_else_is_refused() throws Exception {
        // on the same file system as the folder, or there is no such link
        var foreign = Files.createTempFile(inside.getParent().getParent().getParent(), "secret-", "");
        try {
            Files.writeString(foreign, "another user's");
            Files.createLink(inside, foreign);
            isRefused("is a file of root");
            assertEquals("another user's", Files.readString(foreign));
        } finally {
            Files.delete(foreign);
        }
    }

    @Test
    void a_pipe_does_not_hold_root_up() throws Exception {
        assertEquals(0, new ProcessBuilder("mkfifo", inside.toString()).start().waitFor());
        give(inside);
        isRefused("is a link or no file");
    }

    @Test
    void their_user_can_change_only_what_is_inside() throws Exception {
        var whole = inside.getParent().getParent();
        assertEquals(List.of(0, NOBODY), List.of(uid(whole), uid(inside.getParent())));
        assertEquals("rwx--x--x", PosixFilePermissions.toString(Files.getPosixFilePermissions(whole)));
        var pipe = Path.of(exchange.pipe());
        assertEquals(NOBODY, uid(pipe));
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(pipe)));
    }

    @Test
    void removing_follows_no_link_even_if_the_folder_was_replaced_by_one() throws Exception {
        var kept = Files.createDirectory(folder.resolve("kept"));
        Files.writeString(kept.resolve(NAME), "another user's");
        Files.createSymbolicLink(inside, kept.resolve(NAME));
        Files.createSymbolicLink(inside.resolveSibling("folder"), kept);
        var whole = inside.getParent().getParent();
        var moved = Path.of(whole + "-moved");
        Files.move(whole, moved);
        Files.createSymbolicLink(whole, kept);
        exchange.close();
        assertEquals("another user's", Files.readString(kept.resolve(NAME)));
        try (var left = Files.list(moved)) {
            assertEquals(List.of(), left.toList());
        }
        Files.delete(whole);
        Files.delete(moved);
    }

    @Test
    void what_was_not_put_there_is_not_removed_and_what_is_theirs_is_taken_back() throws Exception {
        var foreign = Files.createFile(inside.getParent().resolveSibling("foreign"));
        give(Files.createDirectory(inside));
        exchange.close();
        assertTrue(Files.exists(foreign));
        assertEquals(0, uid(inside.getParent()));
        for (Path each : List.of(inside, inside.getParent(), foreign, foreign.getParent())) {
            Files.delete(each);
        }
    }

    @Test
    void what_a_killed_command_has_left_is_removed_an_hour_later() throws Exception {
        give(Files.writeString(inside, "events"));
        var whole = inside.getParent().getParent();
        var target = new Target(theirs.pid(), theirs.pid(), Path.of("/"));
        Exchange.with(target, 0, true).close();
        assertTrue(Files.exists(inside), "it may be of a look that goes on");
        Files.setLastModifiedTime(whole, FileTime.from(Instant.now().minus(Duration.ofMinutes(61))));
        var link = Files.createSymbolicLink(whole.resolveSibling("whatwaits-1-a"), folder);
        Exchange.with(target, 0, true).close();
        assertFalse(Files.exists(whole));
        assertTrue(Files.exists(secret), "a link is not followed");
        Files.delete(link);
    }

    @Test
    void where_their_user_could_replace_the_folder_none_is_made() throws Exception {
        var tmp = Files.createDirectory(folder.resolve("tmp"));
        give(tmp);
        assertNull(Exchange.with(new Target(theirs.pid(), theirs.pid(), folder), 0, true));
        try (var left = Files.list(tmp)) {
            assertEquals(List.of(), left.toList());
        }
    }

    @Test
    void nothing_is_sent_to_a_socket_of_another_user() throws Exception {
        var file = Path.of("/tmp/.java_pid" + theirs.pid());
        try (var socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(file));
            var sends = Attachment.to(new Target(theirs.pid(), theirs.pid(), Path.of("/")));
            var refused = assertThrows(IOException.class, () -> sends.send(Duration.ofMinutes(1), "VM.version"));
            assertEquals(file + " leads to a program of root: remove it", refused.getMessage());
            assertEquals(-1, socket.accept().read(ByteBuffer.allocate(1)));
        } finally {
            Files.delete(file);
        }
    }

    @Test
    void closing_leaves_nothing() throws Exception {
        give(Files.createSymbolicLink(inside, secret));
        exchange.close();
        assertFalse(Files.exists(inside.getParent().getParent(), LinkOption.NOFOLLOW_LINKS));
        assertTrue(Files.exists(secret));
    }
}
