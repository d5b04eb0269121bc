package threadlab.kernel;

import java.util.function.BiConsumer;
import org.dflib.jjava.jupyter.channels.JupyterConnection;
import org.dflib.jjava.jupyter.channels.JupyterSocket;
import threadlab.kernel.JJavaInternals.Channel;
import threadlab.measure.Memory;

/** Serves the kernel's channels without delay: waits for requests, and runs steps of the warm-up while none comes. */
final class Channels {

    /** After this time without a request, the warm-up runs its next step. */
    private static final int QUIET_MILLIS = 20;

    private static final int FOR_EVER = -1;

    private Channels() {}

    /** Changes the connection as soon as the kernel has made it, before the first request arrives. */
    static void whenConnected(BiConsumer<JupyterConnection, JupyterSocket> change, WarmUp warmUp) {
        Thread.ofPlatform().daemon().name("channels").start(() -> {
            try {
                var cells = JJavaInternals.cells();
                JJavaInternals.withConnection(cells, change);
                serve(cells, warmUp, Memory::giveBackWhereScarce);
                serve(JJavaInternals.control(), WarmUp.none(), () -> {});
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    /** Runs in the channel's own thread until the connection is closed. */
    private static void serve(Channel channel, WarmUp warmUp, Runnable afterwards) {
        channel.loop().doNext(() -> {
            while (true) {
                int requests = channel.poll(warmUp.goesOn() ? QUIET_MILLIS : FOR_EVER);
                if (requests > 0) {
                    channel.answer().run();
                    afterwards.run();
                } else if (requests == 0 && warmUp.goesOn()) {
                    warmUp.step();
                } else {
                    return; // the channel is closed
                }
            }
        });
    }
}
