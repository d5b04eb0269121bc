import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Virtual threads each read a byte from a socket in a class initializer, so all of them are pinned. After 0.3 s main
 * sends the bytes and looks again 1.2 s later: how many were read, and how many arrived but were not read?
 *
 * <p>Arguments: pairs of a number of readers and the time-out of their reads in ms (0 for none), such as 1:0 2:800.
 *
 * <p>CSV: java (version), readers, timeout (ms), read (bytes), unread (bytes), milliseconds (from the start until the last
 * byte was read; -1 if one was not).
 */
class Unread {

    /** One end of a connection for each reader; main has the other. */
    static final Queue<Socket> CONNECTIONS = new ConcurrentLinkedQueue<>();

    /** The pattern from which each reader gets a class of its own. */
    static class Pattern {
        static final int VALUE = read();
    }

    static int read() {
        try {
            return CONNECTIONS.remove().getInputStream().read();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static void initializeOneMore() throws IOException, IllegalAccessException {
        try (var file = Unread.class.getResourceAsStream("Unread$Pattern.class")) {
            MethodHandles.lookup().defineHiddenClass(file.readAllBytes(), true);
        }
    }

    static void round(int readers, int timeOut) throws Exception {
        List<Socket> near = new ArrayList<>();
        List<Socket> far = new ArrayList<>();
        try (var server = new ServerSocket(0, readers, InetAddress.getLoopbackAddress())) {
            for (int i = 0; i < readers; i++) {
                var connection = new Socket(server.getInetAddress(), server.getLocalPort());
                connection.setSoTimeout(timeOut);
                near.add(connection);
                far.add(server.accept());
            }
        }
        CONNECTIONS.addAll(near);
        var unread = new CountDownLatch(readers);
        long start = System.nanoTime();
        for (int i = 1; i <= readers; i++) {
            Thread.ofVirtual().name("reader-" + i).start(() -> {
                try {
                    initializeOneMore();
                    unread.countDown();
                } catch (IOException | IllegalAccessException e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        Thread.sleep(300);
        for (var connection : far) {
            connection.getOutputStream().write(1);
        }
        boolean all = unread.await(1_200, TimeUnit.MILLISECONDS);
        long milliseconds = all ? (System.nanoTime() - start) / 1_000_000 : -1;
        int lying = 0;
        for (var connection : near) {
            lying += connection.getInputStream().available();
        }
        long read = readers - unread.getCount();
        System.out.printf("%d,%d,%d", Runtime.version().feature(), readers, timeOut);
        System.out.printf(",%d,%d,%d%n", read, lying, milliseconds);
    }

    public static void main(String[] rounds) throws Exception {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        System.out.println("java,readers,timeout,read,unread,milliseconds");
        for (var round : rounds) {
            var numbers = round.split(":");
            round(Integer.parseInt(numbers[0]), Integer.parseInt(numbers[1]));
        }
    }
}
