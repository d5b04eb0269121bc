import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.concurrent.Executors;

/**
 * A warehouse: four threads answer orders, each a datagram of one byte, 10 ms after they took it.
 *
 * <p>It prints its port on the loopback address, and serves until it is ended.
 */
class Warehouse {

    public static void main(String[] arguments) throws Exception {
        var socket = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        socket.setReceiveBufferSize(1 << 20); // for all that come while it is stopped
        System.out.println(socket.getLocalPort());
        var threads = Executors.newFixedThreadPool(4);
        while (true) {
            var order = new DatagramPacket(new byte[1], 1);
            socket.receive(order);
            threads.submit(() -> {
                Thread.sleep(10);
                socket.send(order);
                return null;
            });
        }
    }
}
