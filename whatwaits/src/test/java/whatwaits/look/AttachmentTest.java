package whatwaits.look;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import whatwaits.Expect;

/** Commands reach a JVM by its socket and, where the system has none, by the JDK. Takes 3 s. */
@Tag("deep")
class AttachmentTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    @Test
    void an_interrupt_breaks_the_talk_off() throws Exception {
        assumeTrue(Target.isLinux(), "no socket on this system");
        var sleeps = new ProcessBuilder("sleep", "60").start();
        var file = Path.of("/tmp/.java_pid" + sleeps.pid());
        try (var socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            socket.bind(UnixDomainSocketAddress.of(file));
            var asks = Attachment.to(new Target(sleeps.pid(), sleeps.pid(), Path.of("/")));
            var asked = new FutureTask<>(() -> asks.send(SOON, "VM.version"));
            var thread = Thread.ofPlatform().daemon().start(asked);
            var other = socket.accept();
            thread.interrupt();
            assertInstanceOf(
                    InterruptedException.class,
                    assertThrows(ExecutionException.class, asked::get).getCause());
            var bytes = ByteBuffer.allocate(1 << 10);
            while (other.read(bytes) >= 0) {
                bytes.clear();
            }
        } finally {
            Files.delete(file);
            sleeps.destroyForcibly();
        }
    }

    /** Here until somebody opens the pipe from which it reads its options. */
    @Test
    void one_that_is_just_starting_is_waited_for() throws Exception {
        assumeTrue(Target.isLinux(), "no pipe on this system");
        var options = folder.resolve("options");
        assertEquals(0, new ProcessBuilder("mkfifo", options.toString()).start().waitFor());
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var program = Files.writeString(folder.resolve("Sleeps.java"), """
                class Sleeps { public static void main(String[] a) throws Exception { Thread.sleep(60_000); } }
                """);
        var starts = new ProcessBuilder(java, "-XX:VMOptionsFile=" + options, program.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            Expect.await("it to be listed", () -> Target.all().stream().anyMatch(jvm -> jvm.pid() == starts.pid()));
            var target = Target.of(starts.pid());
            assertFalse(target.catchesSignal());
            var asked = new FutureTask<>(() -> Attachment.to(target).send(SOON, "VM.version"));
            Thread.ofPlatform().daemon().start(asked);
            Thread.sleep(100);
            Files.writeString(options, "");
            var said = asked.get();
            assertTrue(said.contains("JDK " + Runtime.version().feature()), said);
        } finally {
            starts.destroyForcibly();
        }
    }

    @Test
    void both_ways_say_the_same_and_refuse_an_unknown_command_alike() throws Exception {
        try (var watched = Watched.on(Runtime.version().feature(), folder, 1)) {
            var target = Target.of(watched.pid());
            var socket = Attachment.to(target);
            var jdk = Attachment.byTheJdk(target);
            var said = socket.send(SOON, "VM.version");
            assertTrue(said.contains("JDK " + Runtime.version().feature()), said);
            assertEquals(said, jdk.send(SOON, "VM.version"));
            for (var way : new Attachment[] {socket, jdk}) {
                var refused = assertThrows(IOException.class, () -> way.send(SOON, "No.such"));
                assertTrue(refused.getMessage().contains("Unknown diagnostic command"), refused.getMessage());
            }
        }
    }
}
