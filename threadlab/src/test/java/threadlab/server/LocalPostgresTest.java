package threadlab.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static threadlab.Expect.refused;

import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.commons.io.FileUtils;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import threadlab.Expect;

/** A real server in every test except those of failures. */
@Timeout(120)
@Tag("deep")
class LocalPostgresTest {

    @TempDir
    private Path temporary;

    /** Unpacked once for all tests, in the folder that the notebooks use. */
    private static LocalPostgres start(String name) throws InterruptedException {
        var started = LocalPostgres.start(name);
        assertTrue(started.isRunning(), started::toString);
        return started;
    }

    private static String ask(LocalPostgres postgres, String sql) throws SQLException {
        try (var connection = postgres.connect()) {
            return ask(connection, sql);
        }
    }

    private static String ask(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            rows.next();
            return rows.getString(1);
        }
    }

    /** Whether a process has ended, even if its parent has not noticed yet. */
    private static boolean isGone(ProcessHandle process) {
        return !process.isAlive() || process.info().command().isEmpty();
    }

    private static List<Path> inside(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(path -> !path.getFileName().toString().matches("programs|lock"))
                    .toList();
        }
    }

    @Test
    void answers_its_owner_on_the_loopback_interface_only_and_is_gone_after_close() throws Exception {
        try (var shop = LocalPostgres.start("shop", 42)) {
            assertEquals("shop", ask(shop, "select current_database()"));
            assertEquals("42", ask(shop, "show max_connections"));
            assertTrue(ask(shop, "select version()").startsWith("PostgreSQL"));
            try (var connection = DriverManager.getConnection(shop.url())) {
                assertEquals("1", ask(connection, "select 1"));
            }
            assertTrue(shop.toString().contains("port " + shop.port()), shop::toString);

            LocalServerTest.listensOnLoopbackOnly(shop.port());
            var stranger = shop.url().replaceAll("password=.*", "password=guess");
            var refused = assertThrows(SQLException.class, () -> DriverManager.getConnection(stranger));
            assertTrue(refused.getMessage().contains("password"), refused::getMessage);
            isGoneAfterClose(shop);
        }
    }

    private static void isGoneAfterClose(LocalPostgres shop) throws Exception {
        var data = Path.of(ask(shop, "show data_directory"));
        var home = data.getParent();
        assertTrue(Files.readString(home.resolve("log")).contains("port " + shop.port()));
        var process = shop.process();
        int port = shop.port();
        try (var open = shop.connect()) {
            assertTrue(Files.isDirectory(data));
            shop.close();
            shop.close();
            assertThrows(SQLException.class, () -> ask(open, "select 1"));
        }
        assertFalse(shop.isRunning());
        assertTrue(isGone(process));
        assertThrows(ConnectException.class, () -> new Socket(InetAddress.getLoopbackAddress(), port));
        assertFalse(Files.exists(home));
        assertEquals("The database \"shop\" is closed.", shop.toString());
        assertEquals(
                "the database \"shop\" is closed: start it again",
                assertThrows(IllegalStateException.class, shop::connect).getMessage());
    }

    @Test
    void two_run_at_once_and_the_same_name_replaces_and_an_interrupted_thread_closes() throws Exception {
        try (var shop = start("shop");
                var bank = start("bank")) {
            ask(shop, "select 1");
            ask(bank, "select 1");
            var again = start("shop");
            assertFalse(shop.isRunning());
            assertTrue(again.isRunning());
            assertTrue(bank.isRunning());
            Thread.currentThread().interrupt();
            again.close();
            assertTrue(Thread.interrupted());
            assertFalse(again.isRunning());
        }
    }

    @Test
    void two_jvms_unpack_it_at_once_undisturbed_and_it_dies_with_them_however_they_end() throws Exception {
        assumeTrue(!System.getProperty("os.name").startsWith("Windows"), "nothing stands guard on Windows");
        var libraries = System.getProperty("java.class.path");
        var folderOfBoth = "-Djava.io.tmpdir=" + temporary;
        var command = List.of(java(), folderOfBoth, "-cp", libraries, InItsOwnJvm.class.getName());
        var terminated = inItsOwnJvm(command);
        var killed = inItsOwnJvm(command);
        try {
            goesWithItsJvm(terminated, ProcessHandle::destroy);
            var folder = goesWithItsJvm(killed, ProcessHandle::destroyForcibly);
            Expect.await("an empty " + folder, () -> inside(folder).isEmpty());
        } finally {
            terminated.destroyForcibly();
            killed.destroyForcibly();
        }
    }

    @Test
    void an_interrupt_while_it_starts_leaves_nothing() throws Exception {
        var before = ProcessHandle.current().children().count();
        var starting = new Thread(() -> assertThrows(InterruptedException.class, () -> LocalPostgres.start("shop")));
        starting.start();
        Expect.await(
                "a program of PostgreSQL",
                () -> ProcessHandle.current().children().count() > before);
        starting.interrupt();
        starting.join(Duration.ofSeconds(60));
        assertFalse(starting.isAlive());
        assertEquals(before, ProcessHandle.current().children().count());
    }

    @Test
    void runs_for_an_ordinary_user_too() throws Exception {
        if (!System.getProperty("user.name").equals("root")) {
            return; // then every other test has shown it
        }
        assumeTrue(Files.isExecutable(Path.of("/usr/sbin/runuser")), "no runuser to become another user with");
        var classPath = new ArrayList<String>();
        for (var entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (entry.matches(".*(classes|postgres|commons|xz|slf4j).*")) {
                var copy = temporary.resolve("entry" + classPath.size());
                copy(Path.of(entry).toFile(), copy.toFile());
                classPath.add(copy.toString());
            }
        }
        var own = Files.createDirectory(temporary.resolve("tmp"));
        Files.setPosixFilePermissions(temporary, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxrwxrwx"));
        var command = new ArrayList<>(List.of("/usr/sbin/runuser", "-u", "nobody", "--", java()));
        command.addAll(List.of("-Djava.io.tmpdir=" + own, "-cp", String.join(File.pathSeparator, classPath)));
        command.add(InItsOwnJvm.class.getName());
        var process = inItsOwnJvm(command);
        try {
            goesWithItsJvm(process, ProcessHandle::destroyForcibly);
        } finally {
            process.destroyForcibly();
        }
    }

    private static void copy(File from, File to) throws IOException {
        if (from.isDirectory()) {
            FileUtils.copyDirectory(from, to);
        } else {
            FileUtils.copyFile(from, to);
        }
    }

    private static String java() {
        return Path.of(System.getProperty("java.home"), "bin", "java").toString();
    }

    private static Process inItsOwnJvm(List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    /** Ends a JVM with a server and expects the server and its data to be gone; returns where they were. */
    private static Path goesWithItsJvm(Process process, Consumer<ProcessHandle> end) throws Exception {
        try (var lines = process.inputReader()) {
            var jvm = ProcessHandle.of(Long.parseLong(lines.readLine())).orElseThrow();
            var postmaster = ProcessHandle.of(Long.parseLong(lines.readLine())).orElseThrow();
            var data = Path.of(lines.readLine());
            assertTrue(Files.isDirectory(data));
            end.accept(jvm);
            Expect.await("the end of the server", () -> isGone(postmaster));
            Expect.await("the end of its data", () -> !Files.exists(data));
            return data.getParent().getParent();
        }
    }

    /** Starts a server, prints where it is, and waits to be killed. */
    static final class InItsOwnJvm {
        public static void main(String[] none) throws Exception {
            var shop = LocalPostgres.start("shop");
            System.out.println(ProcessHandle.current().pid());
            System.out.println(shop.process().pid());
            System.out.println(ask(shop, "show data_directory"));
            Thread.sleep(Duration.ofMinutes(2));
        }
    }

    @Test
    void says_in_one_sentence_why_it_cannot_start() throws Exception {
        var file = Files.createFile(temporary.resolve("file"));
        var failed = LocalPostgres.start("shop", 10, file);
        assertFalse(failed.isRunning());
        var sentence = failed.toString();
        assertTrue(
                sentence.startsWith(
                        "There is no database \"shop\": PostgreSQL cannot start here (no access to " + file),
                sentence);
        assertFalse(sentence.contains("\n"), sentence);
        assertEquals(
                failed.toString(),
                assertThrows(IllegalStateException.class, failed::connect).getMessage());
        failed.close();
    }

    private static Path own(Path temporary) throws IOException {
        try (var folders = Files.list(temporary)) {
            return folders.filter(folder -> folder.getFileName().toString().startsWith("threadlab-postgres-"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @Test
    void it_lives_in_a_folder_that_nobody_could_prepare_and_only_its_user_may_enter() throws Exception {
        assumeTrue(temporary.getFileSystem().supportedFileAttributeViews().contains("posix"), "no owners here");
        // what another user might have put there: a link to one of this user's folders, a file
        var elsewhere = Files.createDirectory(temporary.resolve("elsewhere"));
        Files.createSymbolicLink(temporary.resolve("threadlab-postgres-1"), elsewhere);
        Files.createFile(temporary.resolve("threadlab-postgres-2"));
        for (int start = 0; start < 2; start++) {
            LocalPostgres.start("shop", 10, temporary).close();
        }
        assertEquals(List.of(), inside(elsewhere));
        try (var files = Files.list(temporary)) {
            var own = files.filter(file -> file.getFileName().toString().startsWith("threadlab-postgres-"))
                    .filter(file -> Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS))
                    .toList();
            assertEquals(1, own.size(), "a later start takes the folder of an earlier one");
            assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(own.getFirst())));
        }
    }

    @Test
    void what_has_begun_and_failed_leaves_nothing_also_when_its_jvm_ends() throws Exception {
        var libraries = System.getProperty("java.class.path");
        var command = List.of(java(), "-cp", libraries, Overbooked.class.getName(), temporary.toString());
        var process = inItsOwnJvm(command);
        try (var lines = process.inputReader()) {
            var why = lines.readLine();
            assertTrue(why.contains("outside the valid range for parameter \"max_connections\""), why);
        }
        process.waitFor();
        assertEquals(List.of(), inside(own(temporary)));
    }

    /** Prints why a server with too many connections does not start. */
    static final class Overbooked {
        public static void main(String[] folder) throws Exception {
            try {
                new PostgresLauncher(1_000_000, Path.of(folder[0]), Duration.ofSeconds(3)).launch("shop");
            } catch (IOException e) {
                System.out.println(e.getMessage());
            }
        }
    }

    @Test
    void refuses_what_is_no_name_and_no_number_of_connections() {
        for (var name : List.of("", "Shop", "1st", "shop; drop", "s\"")) {
            refused("is not a database name", () -> LocalPostgres.start(name));
        }
        assertThrows(IllegalArgumentException.class, () -> LocalPostgres.start("shop", 4));
        assertThrows(IllegalArgumentException.class, () -> LocalPostgres.start("shop", 1_001));
    }
}
