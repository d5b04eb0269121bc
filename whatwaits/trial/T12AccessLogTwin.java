import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

public class T12AccessLogTwin {

    static class Collector extends Thread {
        final ServerSocket server;

        Collector() throws IOException {
            super("collector");
            setDaemon(true);
            server = new ServerSocket();
            server.setReceiveBufferSize(4096);
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        }

        @Override
        public void run() {
            try (Socket peer = server.accept(); InputStream in = peer.getInputStream()) {
                byte[] block = new byte[2048];
                while (in.read(block) >= 0) {
                    Thread.sleep(1);
                }
            } catch (IOException | InterruptedException e) {
                System.err.println("collector: " + e);
            }
        }
    }

    private final OutputStream out;

    T12AccessLogTwin(Socket socket) throws IOException {
        out = socket.getOutputStream();
    }

    synchronized void write(byte[] line) throws IOException {
        out.write(line);
        out.flush();
    }

    public static void main(String[] args) throws Exception {
        Collector collector = new Collector();
        collector.start();
        Socket socket = new Socket();
        socket.setSendBufferSize(4096);
        socket.connect(collector.server.getLocalSocketAddress());
        T12AccessLogTwin log = new T12AccessLogTwin(socket);

        byte[] line = "GET /index.html 200\n".repeat(40).getBytes();
        for (int i = 0; i < 25; i++) {
            Thread worker = new Thread(() -> {
                try {
                    while (true) {
                        Thread.sleep(150);
                        log.write(line);
                    }
                } catch (IOException | InterruptedException e) {
                    System.err.println("worker: " + e);
                }
            }, "http-" + i);
            worker.setDaemon(true);
            worker.start();
        }
        Thread.sleep(1500);
        System.out.println("ready " + ProcessHandle.current().pid());
        Thread.sleep(100_000);
        System.exit(0);
    }
}
