package whatwaits.look;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands reach a JVM by its socket and, where the system has none, by the JDK. Takes 2 s. */
@Tag("deep")
class AttachmentTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    private Path folder;

    @Test
    void both_ways_say_the_same_and_refuse_an_unknown_command_alike() throws Exception {
        try (var watched = Watched.on(Runtime.version().feature(), folder, 1)) {
            var target = Target.of(watched.pid());
            var socket = Attachment.to(target);
            var jdk = Attachment.byTheJdk(target);
            var said = socket.command(SOON, "VM.version");
            assertTrue(said.contains("JDK " + Runtime.version().feature()), said);
            assertEquals(said, jdk.command(SOON, "VM.version"));
            for (var way : new Attachment[] {socket, jdk}) {
                var refused = assertThrows(IOException.class, () -> way.command(SOON, "No.such"));
                assertTrue(refused.getMessage().contains("Unknown diagnostic command"), refused.getMessage());
            }
        }
    }
}
