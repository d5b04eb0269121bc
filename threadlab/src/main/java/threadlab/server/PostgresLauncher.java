package threadlab.server;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.io.FileUtils;
import threadlab.support.CpuShare;

/** Unpacks the programs of PostgreSQL into a folder and starts a server there, with a guard that outlives this JVM. */
final class PostgresLauncher {

    /**
     * Waits for the end of its input, which the JVM holds open: the end comes however the JVM ends. Then stops the
     * server, if it is running, and removes its home ($1).
     */
    private static final String GUARD = """
            cat > /dev/null
            while [ -d "$1/data" ]; do
                kill -QUIT "$(head -n 1 "$1/data/postmaster.pid")"
                sleep 0.2
                rm -rf "$1/data"
            done 2> /dev/null
            rm -rf "$1"
            """;

    private static final String PREFIX = "threadlab-postgres-";

    /** Inside this user's private folder: the library's own folder is writable by all users. */
    private static final String PROGRAMS = "programs";

    /** What the programs (60 MB), their archive and the data of a new server take, in MB. */
    private static final long ROOM = 150;

    private static final Pattern ERROR = Pattern.compile("(?:error|FATAL): +(.+)");

    /**
     * A running PostgreSQL.
     *
     * @param postmaster its first process; each connection has its own child process
     * @param guard the process that cleans up after it; null on Windows
     * @param home the folder of its data and its log
     */
    record Started(EmbeddedPostgres postgres, ProcessHandle postmaster, Process guard, Path home, String password) {
        /** Stops it, whatever its connections are doing, and removes its home. */
        void close() throws IOException, InterruptedException {
            end(postgres, guard, home);
        }
    }

    private final int connections;
    private final Path temporary;
    private final Duration patience;

    /** For servers that take so many connections at once and start in this time; its own folder is in {@code temporary}. */
    PostgresLauncher(int connections, Path temporary, Duration patience) {
        this.connections = connections;
        this.temporary = temporary;
        this.patience = patience;
    }

    /** Starts a server with one empty database; if that fails, nothing is left of it. */
    Started launch(String database) throws Exception {
        var folder = folder();
        var home = Files.createDirectory(folder.resolve(UUID.randomUUID().toString()));
        try {
            return launchAlone(database, folder, home);
        } catch (Throwable failure) {
            FileUtils.deleteQuietly(home.toFile());
            throw failure;
        }
    }

    /**
     * A folder that only this user may enter, because programs are run from it, with a name that cannot be guessed and
     * taken beforehand: the folder of an earlier start, which has the programs, or a new one.
     */
    private Path folder() throws IOException {
        var made = Files.createTempFile(temporary, PREFIX, "");
        var owner = Files.getOwner(made);
        Files.delete(made);
        try (var folders = Files.newDirectoryStream(temporary, PREFIX + "*")) {
            for (var folder : folders) {
                if (Files.isDirectory(folder, NOFOLLOW_LINKS)
                        && Files.getOwner(folder, NOFOLLOW_LINKS).equals(owner)) {
                    return folder;
                }
            }
        }
        return Files.createTempDirectory(temporary, PREFIX);
    }

    private Started launchAlone(String database, Path folder, Path home) throws Exception {
        // one start at a time, even across kernels: so no other start is still unpacking the programs found incomplete
        try (var channel = FileChannel.open(folder.resolve("lock"), CREATE, WRITE);
                var _ = channel.lock()) {
            var whole = programs(folder).stream()
                    .filter(path -> Files.exists(path.resolve(".exists")))
                    .toList();
            removeProgramsExcept(whole, folder);
            try {
                return launchGuarded(database, folder, home);
            } catch (Throwable failure) {
                // files truncated by a full disk must not pass as complete next time
                removeProgramsExcept(whole, folder);
                throw failure;
            }
        }
    }

    private Started launchGuarded(String database, Path folder, Path home) throws Exception {
        var data = home.resolve("data");
        var log = home.resolve("log");
        var secret = home.resolve("password");
        var password = UUID.randomUUID().toString();
        Files.createFile(log);
        var guard = guard(home);
        EmbeddedPostgres postgres = null;
        try {
            System.setProperty("ot.epg.working-dir", folder.resolve(PROGRAMS).toString());
            Files.writeString(secret, password);
            postgres = EmbeddedPostgres.builder()
                    .setDataDirectory(data)
                    .setLocaleConfig("locale", "C")
                    .setLocaleConfig("auth", "password")
                    .setLocaleConfig("pwfile", secret.toString())
                    .setConnectConfig("password", password)
                    .setServerConfig("max_connections", String.valueOf(connections))
                    .setServerConfig("unix_socket_directories", "")
                    .setPGStartupWait(patience)
                    .setOutputRedirector(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            try (var connection = postgres.getPostgresDatabase().getConnection();
                    var statement = connection.createStatement()) {
                statement.execute("create database \"" + database + "\"");
            }
            long pid = Long.parseLong(
                    Files.readAllLines(data.resolve("postmaster.pid")).getFirst());
            CpuShare.here().countAlso(pid);
            return new Started(postgres, ProcessHandle.of(pid).orElseThrow(), guard, home, password);
        } catch (Throwable failure) {
            var error = error(log); // before it is removed
            end(postgres, guard, home);
            if (error.isPresent()) {
                throw new IOException(error.get());
            }
            throw failure;
        } finally {
            Files.deleteIfExists(secret);
        }
    }

    /** The folders with unpacked programs. They are kept to make the next start faster. */
    private static List<Path> programs(Path folder) throws IOException {
        try (var files = Files.list(Files.createDirectories(folder.resolve(PROGRAMS)))) {
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

    /** In a session of its own where possible: a kernel is killed together with its process group. */
    private static Process guard(Path home) throws IOException {
        if (System.getProperty("os.name").startsWith("Windows")) {
            return null;
        }
        var command = new ArrayList<>(List.of("/bin/sh", "-c", GUARD, "guard", home.toString()));
        if (Files.isExecutable(Path.of("/usr/bin/setsid"))) {
            command.addFirst("/usr/bin/setsid");
        }
        return new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    /**
     * Stops a server, however far its start has come, and then the guard, which cleans up what is left. A second stop,
     * such as the library's when the JVM ends, finds no folder to write to.
     */
    private static void end(EmbeddedPostgres postgres, Process guard, Path home)
            throws IOException, InterruptedException {
        if (postgres != null) {
            postgres.close();
        }
        if (guard != null) {
            guard.getOutputStream().close();
            // not onExit(): that needs a thread of the common pool, and the caller may hold the only one
            guard.waitFor();
        }
        FileUtils.deleteDirectory(home.toFile());
    }

    /** The first error that a PostgreSQL program has written. */
    private static Optional<String> error(Path log) throws IOException {
        return Files.readAllLines(log).stream()
                .map(ERROR::matcher)
                .filter(Matcher::find)
                .map(error -> error.group(1))
                .findFirst();
    }

    /** Why it cannot start, in a few words. */
    String reason(Throwable failure) {
        long free = temporary.toFile().getUsableSpace() >> 20;
        if (free < ROOM) { // whatever the program that met it has said
            return "%s has %d MB free, and it needs %d: free space there".formatted(temporary, free, ROOM);
        }
        if ("?".equals(System.getProperty("user.name"))) { // so Java calls a user that the system does not know
            return "the user of this process has no name: give the container one that /etc/passwd lists";
        }
        var root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        var message = String.valueOf(root.getMessage());
        if (message.contains("ostgres binar")) {
            return "it has no programs for %s on %s"
                    .formatted(System.getProperty("os.name"), System.getProperty("os.arch"));
        }
        if (message.contains("Resource temporarily unavailable") || message.contains("create native thread")) {
            return "the system allows no further process: end some, or restart the kernel";
        }
        return root instanceof FileSystemException ? "no access to " + message : message;
    }
}
