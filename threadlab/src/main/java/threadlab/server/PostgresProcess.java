package threadlab.server;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A PostgreSQL that runs.
 *
 * @param postmaster its first process; each connection has another one below it
 * @param guard the process that clears up after it; null on Windows
 * @param log what its programs write
 */
record PostgresProcess(EmbeddedPostgres postgres, ProcessHandle postmaster, Process guard, Path log, String password) {

    /** Stops it, whatever its connections are doing, and removes its data and its log. */
    void close() throws IOException, InterruptedException {
        end(postgres, guard);
        Files.deleteIfExists(log);
    }

    /** Stops a server as far as it has come, and the guard, who clears up what is left. */
    static void end(EmbeddedPostgres postgres, Process guard) throws IOException, InterruptedException {
        if (postgres != null) {
            postgres.close();
        }
        if (guard != null) {
            guard.getOutputStream().close();
            // not onExit(): that needs a thread of the common pool, and the caller may hold the only one
            guard.waitFor();
        }
    }
}
