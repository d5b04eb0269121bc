package threadlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import threadlab.measure.Progress;

/** A load whose generator dies. */
@Tag("deep")
class FailingLoadTest {

    @Test
    void the_progress_of_a_load_that_fails_comes_to_its_end() throws Exception {
        var told = new ArrayList<Progress>();
        try (var silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            var load = Load.on("http://127.0.0.1:" + silent.getLocalPort() + "/", progress -> {
                        told.add(progress);
                        if (progress.running().endsWith(": load")) {
                            ProcessHandle.current().children().forEach(ProcessHandle::destroyForcibly);
                        }
                    })
                    .clients(1)
                    .during(Duration.ofSeconds(20));
            var error = assertThrows(IllegalStateException.class, load::run);
            assertTrue(error.getMessage().startsWith("the load generator failed: "), error.getMessage());
        }
        assertEquals(Progress.State.INTERRUPTED, told.getLast().state());
    }
}
