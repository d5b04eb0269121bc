import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;

/**
 * Takes direct buffers from Netty until it refuses one, then from the JDK until that refuses one, too.
 *
 * <p>CSV: Netty (MiB of buffers that it gave), JDK (MiB), gauge (MiB in the JDK's gauge of direct buffers).
 */
class NettyBuffers {

    static final int MIB = 1 << 20;
    static final int MOST = 1_000; // MiB

    static int netty() {
        var buffers = new ArrayList<ByteBuf>();
        try {
            while (buffers.size() < MOST) {
                buffers.add(PooledByteBufAllocator.DEFAULT.directBuffer(MIB));
            }
        } catch (OutOfMemoryError e) { // its own, or the JDK's
            System.err.println(e.getMessage());
        }
        return buffers.size();
    }

    static int jdk() {
        var buffers = new ArrayList<ByteBuffer>();
        try {
            while (buffers.size() < MOST) {
                buffers.add(ByteBuffer.allocateDirect(MIB));
            }
        } catch (OutOfMemoryError e) {
            System.err.println(e.getMessage());
        }
        return buffers.size();
    }

    public static void main(String[] arguments) {
        int netty = netty();
        int jdk = jdk();
        long gauge = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        System.out.println("Netty,JDK,gauge");
        System.out.println(netty + "," + jdk + "," + gauge / MIB);
    }
}
