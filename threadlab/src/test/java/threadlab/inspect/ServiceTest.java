package threadlab.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import threadlab.Expect;
import threadlab.load.Load;
import threadlab.server.LocalServer;
import whatwaits.look.Jvm;
import whatwaits.rules.ThreadDump;
import whatwaits.rules.Verdict;
import whatwaits.rules.WaitReason;

/**
 * A Spring service on Tomcat with a pool of two connections, under load, inspected by its own JVM. */
@Timeout(180)
@Tag("deep")
class ServiceTest {

    private static final int CLIENTS = 8;
    private static final int CONNECTIONS = 2;

    @TempDir
    private Path folder;

    @RestController
    static class Orders {
        private final DataSource source;

        Orders(DataSource source) {
            this.source = source;
        }

        @GetMapping("/order")
        String order() throws SQLException, InterruptedException {
            try (var connection = source.getConnection()) {
                Thread.sleep(50);
                return connection.getSchema();
            }
        }
    }

    @Test
    void connections_are_the_limit_by_a_load_and_by_tomcats_own_log() throws Exception {
        try (var server = LocalServer.of("orders", Orders.class)
                        .set("spring.threads.virtual.enabled", true)
                        .set("spring.datasource.url", "jdbc:h2:mem:orders")
                        .set("spring.datasource.hikari.maximum-pool-size", CONNECTIONS)
                        .set("spring.datasource.hikari.register-mbeans", true)
                        .set("server.tomcat.accesslog.enabled", true)
                        .set("server.tomcat.accesslog.directory", folder.toString())
                        .set("server.tomcat.accesslog.buffered", false)
                        .set("server.tomcat.accesslog.pattern", "%h %l %u %t \"%r\" %s %b %D")
                        .start();
                var jvm = Jvm.attach(ProcessHandle.current().pid())) {
            var load = Load.on(server.url("/order")).clients(CLIENTS);
            load.during(Duration.ofMillis(500)).run(); // the pool opens its connections
            met(jvm.endpoint(
                    () -> Tables.requests(load.during(Duration.ofMillis(2_500)).run())));

            var running = new FutureTask<>(load.during(Duration.ofMinutes(1))::run);
            var thread = Thread.ofPlatform().daemon().start(running);
            Expect.await("two waiting threads", () -> jvm.dump().count(WaitReason.CONNECTION) >= 2);
            try (var logs = Files.list(folder)) {
                met(jvm.endpoint(logs.findFirst().orElseThrow().toString()));
            }
            waiting(jvm.dump());
            running.cancel(true);
            thread.join();
            Expect.await("the end of all requests", () -> jvm.dump().count(WaitReason.CONNECTION) == 0);
        }
    }

    private static void met(Verdict limits) {
        var text = limits.toString();
        // where other programs keep the CPUs busy, these are met, too
        assertTrue(limits.met().stream().anyMatch(limit -> limit.name().equals("connections")), text);
        assertTrue(limits.inside() > CONNECTIONS, text);
        var table = Tables.limits(limits);
        var pool = table.where(table.stringColumn("limit").isEqualTo("connections"));
        assertEquals(CONNECTIONS, pool.doubleColumn("of").get(0), text);
        assertTrue(pool.doubleColumn("waiting").get(0) >= 2, text);
    }

    /** The group of threads that wait for a connection of a real pool at one line of this class. */
    private static void waiting(ThreadDump dump) {
        var table = Tables.groups(dump);
        var group = table.where(table.stringColumn("waits for").isEqualTo("a connection"));
        assertEquals(1, group.rowCount(), dump.toString());
        assertTrue(group.getString(0, "where").contains("ServiceTest$Orders.order(ServiceTest.java:"), dump.toString());
        assertEquals("virtual", group.getString(0, "kind"));
    }
}
