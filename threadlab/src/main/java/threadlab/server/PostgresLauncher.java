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
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.io.FileUtils;

/** Unpacks the programs of PostgreSQL into a folder and starts a server there, with a guard that outlives this JVM. */
final class PostgresLauncher {

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

    private static final Pattern ERROR = Pattern.compile("(?:error|FATAL): +(.+)");

    private final int connections;
    private final Path folder;
    private final long roomBytes;

    /**
     * @param connections how many a server takes at once
     * @param folder where it lives, of this user only
     * @param roomBytes what must be free there
     */
    PostgresLauncher(int connections, Path folder, long roomBytes) {
        this.connections = connections;
        this.folder = folder;
        this.roomBytes = roomBytes;
    }

    /** Starts a server with one empty database; when that fails, nothing is left of it. */
    PostgresProcess launch(String database) throws Exception {
        var log = folder.resolve(UUID.randomUUID() + ".log");
        try {
            prepare(log);
            return launchAlone(database, log);
        } catch (Throwable failure) {
            log.toFile().delete();
            throw failure;
        }
    }

    /** Makes the folder; nobody else may write into it, for programs are run from it. */
    private void prepare(Path log) throws IOException {
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
            throw new IOException(String.format(
                    Locale.ROOT,
                    "it needs %,d MB in %s, where %,d MB are free",
                    roomBytes / 1_000_000,
                    folder,
                    room / 1_000_000));
        }
    }

    private PostgresProcess launchAlone(String database, Path log) throws Exception {
        // one start at a time, also among kernels: so programs that are not whole are nobody's work in progress
        try (var channel = FileChannel.open(folder.resolve("lock"), CREATE, WRITE);
                var _ = channel.lock()) {
            var whole = programs().stream()
                    .filter(path -> Files.exists(path.resolve(".exists")))
                    .toList();
            removeProgramsExcept(whole);
            try {
                return launchGuarded(database, log);
            } catch (Throwable failure) {
                // what a full disk has cut short must not be taken for whole the next time
                removeProgramsExcept(whole);
                throw failure;
            }
        }
    }

    private PostgresProcess launchGuarded(String database, Path log) throws Exception {
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
                statement.execute("create database \"" + database + "\"");
            }
            var pid = Files.readAllLines(data.resolve("postmaster.pid")).getFirst();
            return new PostgresProcess(
                    postgres, ProcessHandle.of(Long.parseLong(pid)).orElseThrow(), guard, log, password);
        } catch (Throwable failure) {
            var error = error(log); // before the guard removes the log
            PostgresProcess.end(postgres, guard);
            if (error.isPresent()) {
                throw new IOException(error.get());
            }
            throw failure;
        } finally {
            Files.deleteIfExists(secret);
        }
    }

    /** The folders with unpacked programs. They are kept: the next start is faster. */
    private List<Path> programs() throws IOException {
        try (var files = Files.list(folder)) {
            return files.filter(path -> path.getFileName().toString().startsWith("PG-"))
                    .toList();
        }
    }

    private void removeProgramsExcept(List<Path> kept) throws IOException {
        for (var path : programs()) {
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

    /** The first error that a program of PostgreSQL has written. */
    private static Optional<String> error(Path log) throws IOException {
        return Files.readAllLines(log).stream()
                .map(ERROR::matcher)
                .filter(Matcher::find)
                .map(error -> error.group(1))
                .findFirst();
    }

    /** Why it cannot start, in a few words. */
    static String reason(Throwable failure) {
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
}
