package threadlab.cases;

import com.google.gson.Gson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import threadlab.child.ChildJvm;
import threadlab.child.ChildRun;
import threadlab.child.ExitReason;
import threadlab.child.JvmOptions;
import threadlab.child.ProcessCpu;
import threadlab.child.Program;
import threadlab.child.RunningChild;

/** The shop in a JVM of its own. */
final class ShopJvm implements AutoCloseable {

    private static final String PROGRAM = "Shop.java";
    private static final Duration START = Duration.ofSeconds(90);

    /**
     * What the shop answers when it is ready.
     *
     * @param port where it listens
     */
    private record Ready(int port) {}

    private final RunningChild child;
    private final FutureTask<ChildRun> end;
    private final int port;
    private final double cpuBefore;
    private volatile boolean ready;

    /**
     * Starts the shop.
     *
     * @param source its program
     * @param settings properties of Spring Boot
     * @throws IllegalStateException if the shop does not start
     */
    ShopJvm(String source, Map<String, Object> settings) throws InterruptedException {
        child = start(source, settings);
        end = new FutureTask<>(this::awaitEnd);
        Thread.ofPlatform().daemon().name("output of the shop").start(end);
        try {
            var answer = child.answer(Ready.class, START);
            if (answer == null) {
                throw new IllegalStateException("the shop did not start" + reason());
            }
            port = answer.port();
            cpuBefore = ProcessCpu.seconds(child.pid());
            ready = true;
        } finally {
            if (!ready) {
                child.close();
            }
        }
    }

    private String reason() throws InterruptedException {
        if (isAlive()) {
            return " within " + START.toSeconds() + " s: start it again with start()";
        }
        try {
            return ": " + end.get().explanation() + "\n" + end.get().output();
        } catch (ExecutionException e) {
            throw new IllegalStateException(e.getCause());
        }
    }

    /** The program as the course contains it. */
    static String source() {
        return Program.of(PROGRAM).source();
    }

    /** Properties of Spring Boot for a scenario. */
    static Map<String, Object> settings(Scenario draw, String database, String neighbours) {
        return new HashMap<>(Map.of(
                "server.address",
                "127.0.0.1",
                "server.port",
                0,
                "server.tomcat.max-connections",
                20_000,
                "spring.threads.virtual.enabled",
                true,
                "spring.datasource.url",
                database,
                "spring.datasource.hikari.maximum-pool-size",
                draw.connections,
                "spring.datasource.hikari.connection-timeout",
                draw.connectionTimeOutMs,
                "spring.datasource.hikari.register-mbeans",
                true,
                "shop.neighbours",
                neighbours,
                "shop.door",
                draw.door));
    }

    private static RunningChild start(String source, Map<String, Object> settings) {
        try {
            var folder = Files.createTempDirectory("threadlab-shop-");
            var file = folder.resolve(PROGRAM);
            try {
                return ChildJvm.of(Program.of(Files.writeString(file, source).toString()))
                        .environment("SPRING_APPLICATION_JSON", new Gson().toJson(settings))
                        .options(JvmOptions.smallServer(Scenario.CARRIERS, Scenario.POOLED))
                        .timeOut(Duration.ofHours(12))
                        .quiet()
                        .start();
            } finally {
                Files.deleteIfExists(file);
                Files.delete(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the shop's program could not be written", e);
        }
    }

    /** Reports that the shop has ended, unless it was closed. */
    private ChildRun awaitEnd() throws InterruptedException {
        var ended = child.await();
        if (ready && ended.reason() != ExitReason.CLOSED) {
            System.out.println("The shop has ended: %s Start it again with start(), then examine it again."
                    .formatted(ended.explanation()));
        }
        return ended;
    }

    boolean isAlive() {
        return child.isAlive();
    }

    long pid() {
        return child.pid();
    }

    String url() {
        return "http://127.0.0.1:" + port;
    }

    /** CPU time since the shop's start, in seconds. */
    double cpuSeconds() {
        return ProcessCpu.seconds(pid()) - cpuBefore;
    }

    @Override
    public void close() {
        child.close();
    }
}
