package threadlab.cases;

import com.google.gson.Gson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;
import threadlab.child.ChildJvm;
import threadlab.child.JvmOptions;
import threadlab.child.ProcessCpu;
import threadlab.child.Program;
import threadlab.child.RunningChild;

/** The shop in a JVM of its own. */
final class ShopJvm implements AutoCloseable {

    private static final String PROGRAM = "Shop.java";
    private static final Duration START = Duration.ofSeconds(90);

    /** What the shop answers when it is ready: where it listens. */
    private record Ready(int port) {}

    private final RunningChild child;
    private final int port;
    private final double cpuBefore;

    /** Starts the shop from the source of its program, with properties of Spring Boot. */
    ShopJvm(String source, Map<String, String> settings) throws InterruptedException {
        child = start(source, settings);
        var answer = child.ready(
                Ready.class,
                START,
                ended -> System.out.println("The shop has ended: %s Start it again with start(), then examine it again."
                        .formatted(ended.explanation())));
        if (answer == null) {
            boolean late = isAlive();
            child.close();
            var end = child.await();
            throw new IllegalStateException(
                    late
                            ? "the shop did not start within " + START.toSeconds() + " s: start it again with start()"
                            : "the shop did not start: " + end + "\n" + end.output());
        }
        port = answer.port();
        cpuBefore = ProcessCpu.seconds(child.pid());
    }

    /** The program as the course contains it. */
    static String source() {
        return Program.of(PROGRAM).source();
    }

    /** Properties of Spring Boot for a scenario. */
    static Map<String, String> settings(FaultyShop draw, String database, String neighbours) {
        return """
                server.address 127.0.0.1
                server.port 0
                server.tomcat.max-connections 20000
                spring.threads.virtual.enabled true
                spring.datasource.url %s
                spring.datasource.hikari.maximum-pool-size %d
                spring.datasource.hikari.connection-timeout %d
                spring.datasource.hikari.register-mbeans true
                shop.neighbours %s
                shop.door %d
                """.formatted(database, draw.connections, draw.connectionTimeOutMs, neighbours, draw.door)
                .lines()
                .map(line -> line.split(" "))
                .collect(Collectors.toMap(words -> words[0], words -> words[1]));
    }

    private static RunningChild start(String source, Map<String, String> settings) {
        try {
            var folder = Files.createTempDirectory("threadlab-shop-");
            var file = folder.resolve(PROGRAM);
            try {
                return ChildJvm.of(Program.of(Files.writeString(file, source).toString()))
                        .environment("SPRING_APPLICATION_JSON", new Gson().toJson(settings))
                        .options(JvmOptions.smallServer(FaultyShop.CARRIERS, FaultyShop.POOLED))
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
