package threadlab.server;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.commons.io.FileUtils;

/**
 * A PostgreSQL that runs.
 *
 * @param postmaster its first process; each connection has another one below it
 * @param guard the process that clears up after it; null on Windows
 * @param home the folder of its data and its log
 */
record PostgresProcess(EmbeddedPostgres postgres, ProcessHandle postmaster, Process guard, Path home, String password) {

    /** Stops it, whatever its connections are doing, and removes its home. */
    void close() throws IOException, InterruptedException {
        end(postgres, guard, home);
    }

    /**
     * Stops a server as far as it has come, and the guard, who clears up what is left. Whoever stops it once more, as its
     * library does at the end of a JVM, finds no folder to write into.
     */
    static void end(EmbeddedPostgres postgres, Process guard, Path home) throws IOException, InterruptedException {
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
}
