package threadlab.server;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.apache.commons.io.FileUtils;

/**
 * A real PostgreSQL of one's own with one empty database. It is unpacked from a jar, listens on a free port of the
 * loopback interface only, and asks for a password that was made for it.
 *
 * <pre>{@code
 * var shop = LocalPostgres.start("shop");
 * try (var connection = shop.connect()) { … }
 * }</pre>
 *
 * <p>It ends, and its data are removed, when it is closed, when another is started under its name, and when the JVM
 * ends, even by SIGKILL. (On Windows a SIGKILL leaves it running; a start ten minutes later removes it.)
 *
 * <p>Where it cannot start, {@link #start(String)} throws nothing: it returns an object that says why, so that a
 * notebook can go on with what needs no database.
 */
public final class LocalPostgres implements AutoCloseable {

    private static final String USER = "postgres";
    private static final int CONNECTIONS = 100;

    /** The programs and an empty database take 100 MB; the rest is for the rows of a notebook. */
    private static final long ROOM_BYTES = 300_000_000;

    /**
     * Waits for the end of its input, which the JVM holds open: it comes however the JVM ends. Then stops the server,
     * if it runs, and removes its data ($1) and its log ($2).
     */
    private static final String GUARD = """
            cat > /dev/null
            while [ -d "$1" ]; do
                kill -QUIT "$(head -n 1 "$1/postmaster.pid")"
                sleep 0.2
                rm -rf "$1"
            done 2> /dev/null
            rm -f "$2"
            """;

    private static final Pattern COMPLAINT = Pattern.compile("(?:error|FATAL): +(.+)");

    /**
     * What runs in this JVM, by name. It is static because a process outlives the variable that held it: when a cell
     * runs again, only this knows the server that the cell started before.
     */
    private static final Map<String, LocalPostgres> RUNNING = new HashMap<>();

    private record Server(
            EmbeddedPostgres postgres, ProcessHandle postmaster, Process guard, Path log, String password) {}

    private final String name;
    private final Server server;
    private final String inWords;
    private volatile boolean closed;

    private LocalPostgres(String name, Server server, String inWords) {
        this.name = name;
        this.server = server;
        this.inWords = inWords;
    }

    /**
     * Starts a PostgreSQL that takes up to 100 connections.
     *
     * @param name the name of its database: lower-case letters, digits and underscores; what runs in this JVM under
     *     that name is closed first
     * @return the server, or, where none can start, an object that is not running and says why
     * @throws InterruptedException if the calling thread is interrupted; nothing is left running then
     */
    public static LocalPostgres start(String name) throws InterruptedException {
        return start(name, CONNECTIONS);
    }

    /**
     * Starts a PostgreSQL.
     *
     * @param name the name of its database: lower-case letters, digits and underscores; what runs in this JVM under
     *     that name is closed first
     * @param connections how many it takes at once, from 5 to 1,000; each is a process of its own
     * @return the server, or, where none can start, an object that is not running and says why
     * @throws InterruptedException if the calling thread is interrupted; nothing is left running then
     */
    public static LocalPostgres start(String name, int connections) throws InterruptedException {
        var user = System.getProperty("user.name").replaceAll("\\W", "-");
        return start(name, connections, Path.of(System.getProperty("java.io.tmpdir"), "threadlab-" + user), ROOM_BYTES);
    }

    static LocalPostgres start(String name, int connections, Path folder, long roomBytes) throws InterruptedException {
        if (!name.matches("[a-z][a-z0-9_]{0,62}")) {
            throw new IllegalArgumentException("\"" + name
                    + "\" is no name for a database: take a lower-case letter, then such letters, digits, underscores");
        }
        if (connections < 5 || connections > 1_000) {
            throw new IllegalArgumentException(
                    "%,d connections are out of range: a server takes from 5 to 1,000".formatted(connections));
        }
        synchronized (RUNNING) {
            if (RUNNING.containsKey(name)) {
                RUNNING.get(name).close();
            }
            var started = Whole.toEnd(() -> attempt(name, connections, folder, roomBytes));
            if (started.isRunning()) {
                RUNNING.put(name, started);
            }
            if (Thread.interrupted()) {
                started.close();
                throw new InterruptedException("interrupted while PostgreSQL started");
            }
            return started;
        }
    }

    private static LocalPostgres attempt(String name, int connections, Path folder, long roomBytes) {
        long begin = System.nanoTime();
        var log = folder.resolve(UUID.randomUUID() + ".log");
        try {
            prepare(folder, log, roomBytes);
            var server = launch(name, connections, folder, log);
            var inWords =
                    "PostgreSQL with the database \"%s\" listens on port %d, for this machine only (ready in %.1f s).";
            var seconds = (System.nanoTime() - begin) / 1e9;
            return new LocalPostgres(
                    name, server, String.format(Locale.ROOT, inWords, name, server.postgres.getPort(), seconds));
        } catch (Exception | ExceptionInInitializerError failure) {
            var inWords = "There is no database \"%s\": PostgreSQL cannot start here (%s).";
            log.toFile().delete();
            return new LocalPostgres(name, null, inWords.formatted(name, reason(failure)));
        }
    }

    /** Makes the folder; nobody else may write into it, for programs are run from it. */
    private static void prepare(Path folder, Path log, long roomBytes) throws IOException {
        Files.createDirectories(folder);
        Files.createFile(log);
        if (!Files.getOwner(folder).equals(Files.getOwner(log))) {
            throw new IOException(folder + " belongs to " + Files.getOwner(folder));
        }
        if (folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        }
        long room = Files.getFileStore(folder).getUsableSpace();
        if (room < roomBytes) {
            throw new IOException("it needs %,d MB in %s, where %,d MB are free"
                    .formatted(roomBytes / 1_000_000, folder, room / 1_000_000));
        }
    }

    private static Server launch(String name, int connections, Path folder, Path log) throws Exception {
        // one start at a time, also among kernels: so programs that are not whole are nobody's work in progress
        try (var channel = FileChannel.open(folder.resolve("lock"), CREATE, WRITE);
                var _ = channel.lock()) {
            var whole = programs(folder).stream()
                    .filter(path -> Files.exists(path.resolve(".exists")))
                    .toList();
            removeProgramsExcept(whole, folder);
            try {
                return launchGuarded(name, connections, folder, log);
            } catch (Throwable failure) {
                // what a full disk has cut short must not be taken for whole the next time
                removeProgramsExcept(whole, folder);
                throw failure;
            }
        }
    }

    private static Server launchGuarded(String name, int connections, Path folder, Path log) throws Exception {
        var data = folder.resolve(UUID.randomUUID().toString());
        var secret = folder.resolve(data.getFileName() + ".password");
        var password = UUID.randomUUID().toString();
        var guard = guard(data, log);
        EmbeddedPostgres postgres = null;
        try {
            System.setProperty("ot.epg.working-dir", folder.toString());
            Files.writeString(secret, password);
            postgres = EmbeddedPostgres.builder()
                    .setDataDirectory(data)
                    .setLocaleConfig("locale", "C")
                    .setLocaleConfig("auth", "password")
                    .setLocaleConfig("pwfile", secret.toString())
                    .setConnectConfig("password", password)
                    .setServerConfig("max_connections", String.valueOf(connections))
                    .setServerConfig("unix_socket_directories", "")
                    .setOutputRedirector(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            try (var connection = postgres.getPostgresDatabase().getConnection();
                    var statement = connection.createStatement()) {
                statement.execute("create database \"" + name + "\"");
            }
            var pid = Files.readAllLines(data.resolve("postmaster.pid")).getFirst();
            return new Server(postgres, ProcessHandle.of(Long.parseLong(pid)).orElseThrow(), guard, log, password);
        } catch (Throwable failure) {
            var complaint = complaint(log); // before the guard removes the log
            end(postgres, guard);
            if (complaint.isPresent()) {
                throw new IOException(complaint.get());
            }
            throw failure;
        } finally {
            Files.deleteIfExists(secret);
        }
    }

    /** The folders with unpacked programs. They are kept: the next start is faster. */
    private static List<Path> programs(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(path -> path.getFileName().toString().startsWith("PG-"))
                    .toList();
        }
    }

    private static void removeProgramsExcept(List<Path> kept, Path folder) throws IOException {
        for (var path : programs(folder)) {
            if (!kept.contains(path)) {
                FileUtils.deleteDirectory(path.toFile());
            }
        }
    }

    /** In a session of its own where that is possible: a kernel is killed together with its group of processes. */
    private static Process guard(Path data, Path log) throws IOException {
        if (System.getProperty("os.name").startsWith("Windows")) {
            return null;
        }
        var command = new ArrayList<String>();
        if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            command.add("/usr/bin/setsid");
        }
        command.addAll(List.of("/bin/sh", "-c", GUARD, "guard", data.toString(), log.toString()));
        return new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /** Stops the server as far as it has come, and the guard, who clears up what is left. */
    private static void end(EmbeddedPostgres postgres, Process guard) throws IOException, InterruptedException {
        if (postgres != null) {
            postgres.close();
        }
        if (guard != null) {
            guard.getOutputStream().close();
            // not onExit(): that needs a thread of the common pool, and the caller may hold the only one
            guard.waitFor();
        }
    }

    /** What a program of PostgreSQL has complained about. */
    private static Optional<String> complaint(Path log) throws IOException {
        return Files.readAllLines(log).stream()
                .map(COMPLAINT::matcher)
                .filter(Matcher::find)
                .map(complaint -> complaint.group(1))
                .findFirst();
    }

    private static String reason(Throwable failure) {
        var root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        var message = String.valueOf(root.getMessage());
        if (message.contains("ostgres binar")) {
            return "there are no programs of it for %s on %s"
                    .formatted(System.getProperty("os.name"), System.getProperty("os.arch"));
        }
        return root instanceof FileSystemException ? "no access to " + message : message;
    }

    /**
     * Whether it has started and is not closed.
     *
     * @return true while it answers
     */
    public boolean isRunning() {
        return server != null && !closed && server.postmaster.isAlive();
    }

    /**
     * Opens a connection of its own; the caller closes it.
     *
     * @return a connection to the database, as its owner
     * @throws SQLException what the server answers, such as too many connections
     * @throws IllegalStateException if it is not running
     */
    public Connection connect() throws SQLException {
        return dataSource().getConnection();
    }

    /**
     * Where connections come from: each is opened anew, none is kept.
     *
     * @return connections to the database, as its owner
     * @throws IllegalStateException if it is not running
     */
    public DataSource dataSource() {
        return running().postgres.getDatabase(USER, name);
    }

    /**
     * The address for a library that opens the connections itself, such as a connection pool.
     *
     * @return a JDBC address with user and password
     * @throws IllegalStateException if it is not running
     */
    public String url() {
        return running().postgres.getJdbcUrl(USER, name) + "&password=" + server.password;
    }

    /**
     * The port on the loopback interface.
     *
     * @return a port number
     * @throws IllegalStateException if it is not running
     */
    public int port() {
        return running().postgres.getPort();
    }

    /**
     * The server's first process; each connection has another one below it.
     *
     * @return a handle of the process
     * @throws IllegalStateException if it is not running
     */
    public ProcessHandle process() {
        return running().postmaster;
    }

    private Server running() {
        if (server == null) {
            throw new IllegalStateException(inWords);
        }
        if (!isRunning()) {
            throw new IllegalStateException("the database \"" + name + "\" is closed: start it again");
        }
        return server;
    }

    /** Stops it, whatever its connections are doing, and removes its data; a second call does nothing. */
    @Override
    public void close() {
        synchronized (RUNNING) {
            RUNNING.remove(name, this);
            if (server != null && !closed) {
                closed = true;
                Whole.toEnd(() -> {
                    end(server.postgres, server.guard);
                    return Files.deleteIfExists(server.log);
                });
            }
        }
    }

    /** Says where it listens, or why it does not run. */
    @Override
    public String toString() {
        return server == null || isRunning() ? inWords : "The database \"" + name + "\" is closed.";
    }
}
