package threadlab.server;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.commons.io.FileUtils;

/**
 * A running PostgreSQL.
 *
 * @param postmaster its first process; each connection has its own child process
 * @param guard the process that cleans up after it; null on Windows
 * @param home the folder of its data and its log
 */
record PostgresProcess(EmbeddedPostgres postgres, ProcessHandle postmaster, Process guard, Path home, String password) {

    /** Stops it, whatever its connections are doing, and removes its home. */
    void close() throws IOException, InterruptedException {
        end(postgres, guard, home);
    }

    /**
     * Stops a server, however far its start has come, and then the guard, which cleans up what is left. A second stop,
     * such as the library's when the JVM ends, finds no folder to write to.
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
