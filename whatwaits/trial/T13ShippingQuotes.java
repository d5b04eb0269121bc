import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.*;

public class T13ShippingQuotes {

    static final int ANSWER_AFTER = 20_000;

    static ServerSocket carrier() throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread acceptor = new Thread(() -> {
            ScheduledExecutorService later = Executors.newScheduledThreadPool(2, daemon("carrier-timer"));
            try {
                while (true) {
                    Socket peer = server.accept();
                    later.schedule(() -> answer(peer), ANSWER_AFTER, TimeUnit.MILLISECONDS);
                }
            } catch (IOException e) {
                System.err.println(e);
            }
        }, "carrier");
        acceptor.setDaemon(true);
        acceptor.start();
        return server;
    }

    static Void answer(Socket peer) throws IOException {
        try (peer) {
            peer.getOutputStream().write("12.50\n".getBytes(StandardCharsets.US_ASCII));
        }
        return null;
    }

    static ThreadFactory daemon(String name) {
        return r -> {
            Thread t = new Thread(r, name);
            t.setDaemon(true);
            return t;
        };
    }

    static String quote(int port) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
             BufferedReader in = new BufferedReader(new InputStreamReader(socket.getInputStream()))) {
            return in.readLine();
        }
    }

    public static void main(String[] args) throws Exception {
        int port = carrier().getLocalPort();
        ExecutorService requests = Executors.newFixedThreadPool(16, daemon("quote-request"));
        for (int i = 0; i < 16; i++) {
            requests.submit(() -> {
                while (true) {
                    quote(port);
                    Thread.sleep(10);
                }
            });
        }
        Thread.sleep(1500);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
