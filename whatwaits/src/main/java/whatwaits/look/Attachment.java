package whatwaits.look;

import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import jdk.net.ExtendedSocketOptions;

/**
 * Sends commands to a JVM by its attach mechanism, as {@code jcmd} does: no agent is loaded there and no port opened.
 * On Linux this speaks to the JVM's socket itself. The JDK's class does so, too, but sends its signal to a process that
 * would be ended by it, and waits ten seconds for one that does not answer; elsewhere it is used.
 */
final class Attachment implements Commands {

    /** What is stopped or no JVM has been refused before; a busy machine may need seconds. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(5);

    /** Of the first version of the protocol, which all JVMs understand: a name and three arguments. */
    private static final int ARGUMENTS = 3;

    /** How a command and its arguments reach the JVM. */
    private interface Channel {
        InputStream send(String... words) throws IOException;
    }

    private final Target target;
    private final Channel channel;

    private Attachment(Target target, Channel channel) {
        this.target = target;
        this.channel = channel;
    }

    /**
     * Starts the attach mechanism, unless it runs already; it then runs until that JVM ends.
     *
     * @throws IllegalArgumentException with one sentence that says why it cannot be attached to
     */
    static Attachment to(Target target) throws InterruptedException {
        try {
            return Target.isLinux() ? new Attachment(target, socket(target)) : byTheJdk(target);
        } catch (IOException e) {
            throw refusal(target, Commands.line(e.getMessage()));
        }
    }

    static IllegalArgumentException refusal(Target target, String why) {
        return new IllegalArgumentException(
                target.remains()
                        ? "process %d cannot be attached to (%s): look at it as its user or as root, or take a dump there with jcmd %d Thread.dump_to_file -format=json FILE and read that"
                                .formatted(target.pid(), why, target.inside())
                        : "process %d has ended: %s".formatted(target.pid(), Target.LISTED));
    }

    private static Channel socket(Target target) throws IOException, InterruptedException {
        var socket = target.seen("/tmp/.java_pid" + target.inside());
        if (!Files.exists(socket)) {
            start(target, socket);
        }
        var address = UnixDomainSocketAddress.of(socket);
        return words -> {
            var connected = SocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                connected.connect(address);
                // anybody may have made a socket of that name, or a link
                var other =
                        connected.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
                if (!other.equals(target.user())) {
                    throw new IOException("%s leads to a program of %s: remove it".formatted(socket, other));
                }
                var request = new ByteArrayOutputStream();
                request.write("1\0".getBytes(StandardCharsets.US_ASCII));
                for (int i = 0; i <= ARGUMENTS; i++) {
                    request.write(((i < words.length ? words[i] : "") + "\0").getBytes(StandardCharsets.UTF_8));
                }
                for (var bytes = ByteBuffer.wrap(request.toByteArray()); bytes.hasRemaining(); ) {
                    connected.write(bytes);
                }
                return Channels.newInputStream(connected);
            } catch (IOException e) {
                connected.close();
                throw e;
            }
        };
    }

    /** A JVM that gets the signal looks for this file; without it, it would print all its threads. */
    private static void start(Target target, Path socket) throws IOException, InterruptedException {
        // one that is just starting will
        while (!target.catchesSignal()) {
            if (!(target.upSeconds() < PATIENCE.toSeconds())) {
                throw new IOException("it does not catch the signal that starts its attach mechanism");
            }
            Thread.sleep(BETWEEN_LOOKS);
        }
        var file = trigger(target);
        try {
            // Java sends no such signal; each shell has this command built in
            var kill = new ProcessBuilder("/bin/sh", "-c", "kill -QUIT " + target.pid())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (kill.waitFor() != 0) {
                throw new IOException("it cannot be sent a signal");
            }
            long start = System.nanoTime();
            while (!Files.exists(socket)) {
                if (System.nanoTime() - start > PATIENCE.toNanos()) {
                    throw Commands.late(PATIENCE);
                }
                Thread.sleep(BETWEEN_LOOKS);
            }
        } finally {
            Files.deleteIfExists(file);
        }
    }

    private static Path trigger(Target target) throws IOException {
        var name = ".attach_pid" + target.inside();
        var file = target.seen("/tmp/" + name);
        try {
            Files.deleteIfExists(file);
            return Files.createFile(file);
        } catch (IOException e) {
            var folder = Path.of("/proc/%d/cwd".formatted(target.pid()));
            Files.deleteIfExists(folder.resolve(name));
            return Files.createFile(folder.resolve(name));
        }
    }

    /** By the JDK's own class, whose method for commands is not public. */
    static Attachment byTheJdk(Target target) {
        System.setProperty("sun.tools.attach.attachTimeout", String.valueOf(PATIENCE.toMillis()));
        return new Attachment(target, words -> {
            try {
                var machine = VirtualMachine.attach(String.valueOf(target.pid()));
                try {
                    var send = machine.getClass().getMethod("executeJCmd", String.class);
                    try (var answer = (InputStream) send.invoke(machine, words[1])) {
                        var said = "0\n" + new String(answer.readAllBytes(), StandardCharsets.UTF_8);
                        return new ByteArrayInputStream(said.getBytes(StandardCharsets.UTF_8));
                    }
                } finally {
                    machine.detach();
                }
            } catch (InvocationTargetException e) {
                throw new IOException(String.valueOf(e.getCause().getMessage()), e);
            } catch (AttachNotSupportedException e) {
                throw new IOException(String.valueOf(e.getMessage()), e);
            } catch (ReflectiveOperationException e) {
                throw new IOException(
                        "this Java was started without --add-exports jdk.attach/sun.tools.attach=ALL-UNNAMED", e);
            }
        });
    }

    /** Asked by another thread, because reading an answer has no time limit; an interrupt closes the socket. */
    @Override
    public String send(Duration most, String command) throws IOException, InterruptedException {
        var asked = new FutureTask<>(() -> {
            try (var answer = channel.send("jcmd", command)) {
                var bytes = answer.readNBytes(MOST);
                if (bytes.length == MOST) {
                    throw new IOException("its answer has %d MB or more".formatted(MOST >> 20));
                }
                return new String(bytes, StandardCharsets.UTF_8);
            }
        });
        var thread = Thread.ofPlatform()
                .daemon()
                .name("asks process " + target.pid())
                .start(asked);
        try {
            var text = asked.get(most.toMillis(), TimeUnit.MILLISECONDS);
            int end = text.indexOf('\n');
            if (end < 0) {
                throw new IOException("it ended its answer before saying anything");
            }
            var body = text.substring(end + 1);
            if (!text.startsWith("0\n")) {
                throw new IOException(Commands.line(body));
            }
            return body;
        } catch (TimeoutException e) {
            throw Commands.late(most);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failed) {
                throw failed;
            }
            throw new IOException(e.getCause());
        } finally {
            thread.interrupt();
        }
    }
}
