package threadlab.server;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import threadlab.support.Arguments;

/**
 * A real, private PostgreSQL with one empty database. It is unpacked from a jar, listens only on a free port of the
 * loopback interface, and requires a password generated for it.
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
 * notebook can continue with the parts that need no database.
 */
public final class LocalPostgres implements AutoCloseable {

    private static final String USER = "postgres";
    private static final int CONNECTIONS = 100;

    /** A start takes a second or two; on a small, busy machine, perhaps ten. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final OneOfAName<LocalPostgres> RUNNING = new OneOfAName<>();

    private final String name;
    private final PostgresLauncher.Started server;
    private final String inWords;
    private volatile boolean closed;

    private LocalPostgres(String name, PostgresLauncher.Started server, String inWords) {
        this.name = name;
        this.server = server;
        this.inWords = inWords;
    }

    /**
     * Starts a PostgreSQL that takes up to 100 connections.
     *
     * @param name the name of its database: lower-case letters, digits and underscores; a server running in this JVM
     *     under that name is closed first
     * @return the server or, if it cannot start, an object that is not running and says why
     * @throws InterruptedException if the calling thread is interrupted; nothing is left running
     */
    public static LocalPostgres start(String name) throws InterruptedException {
        return start(name, CONNECTIONS);
    }

    /**
     * Starts a PostgreSQL.
     *
     * @param name the name of its database: lower-case letters, digits and underscores; a server running in this JVM
     *     under that name is closed first
     * @param connections how many it takes at once, from 5 to 1,000; each is a process of its own
     * @return the server or, if it cannot start, an object that is not running and says why
     * @throws InterruptedException if the calling thread is interrupted; nothing is left running
     */
    public static LocalPostgres start(String name, int connections) throws InterruptedException {
        return start(name, connections, Path.of(System.getProperty("java.io.tmpdir")));
    }

    static LocalPostgres start(String name, int connections, Path temporary) throws InterruptedException {
        if (!name.matches("[a-z][a-z0-9_]{0,62}")) {
            throw new IllegalArgumentException(
                    "\"%s\" is not a database name: use a lower-case letter, then up to 62 lower-case letters, digits and underscores"
                            .formatted(name));
        }
        Arguments.inRange("connections", connections, 5, 1_000);
        var launcher = new PostgresLauncher(connections, temporary, PATIENCE);
        return RUNNING.replace(name, () -> OneOfAName.uninterrupted(() -> attempt(name, launcher)));
    }

    private static LocalPostgres attempt(String name, PostgresLauncher launcher) {
        long begin = System.nanoTime();
        try {
            var server = launcher.launch(name);
            int port = server.postgres().getPort();
            double seconds = (System.nanoTime() - begin) / 1e9;
            var inWords =
                    "PostgreSQL with the database \"%s\" listens on port %d, for this machine only (ready in %.1f s).";
            return new LocalPostgres(name, server, inWords.formatted(name, port, seconds));
        } catch (Exception | ExceptionInInitializerError failure) {
            var inWords = "There is no database \"%s\": PostgreSQL cannot start here (%s).";
            return new LocalPostgres(name, null, inWords.formatted(name, launcher.reason(failure)));
        }
    }

    /** {@return whether it has started and is not closed} */
    public boolean isRunning() {
        return server != null && !closed && server.postmaster().isAlive();
    }

    /**
     * {@return a new connection to the database, as its owner; the caller closes it}
     *
     * @throws SQLException what the server answers, such as too many connections
     * @throws IllegalStateException if it is not running
     */
    public Connection connect() throws SQLException {
        return dataSource().getConnection();
    }

    /**
     * {@return a source of connections to the database, as its owner: each is newly opened, none is kept}
     *
     * @throws IllegalStateException if it is not running
     */
    public DataSource dataSource() {
        return running().postgres().getDatabase(USER, name);
    }

    /**
     * {@return a JDBC address with user and password, for a library that opens connections itself, such as a pool}
     *
     * @throws IllegalStateException if it is not running
     */
    public String url() {
        var running = running();
        return running.postgres().getJdbcUrl(USER, name) + "&password=" + running.password();
    }

    int port() {
        return running().postgres().getPort();
    }

    ProcessHandle process() {
        return running().postmaster();
    }

    private PostgresLauncher.Started running() {
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
        RUNNING.end(name, this, () -> {
            if (server != null && !closed) {
                closed = true;
                server.close();
            }
            return null;
        });
    }

    /** Says where it listens, or why it does not run. */
    @Override
    public String toString() {
        return server == null || isRunning() ? inWords : "The database \"" + name + "\" is closed.";
    }
}
