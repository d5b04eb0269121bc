import java.nio.ByteBuffer;
import java.util.ArrayList;

/**
 * Keeps arrays in the heap, then takes buffers outside it, as a server's network library does, until it has as many as
 * it wants or the JVM refuses one.
 *
 * <p>Arguments: MiB to keep in the heap; MiB of buffers that it wants.
 *
 * <p>CSV: heap, buffers (MiB that it has), refused (1 if the JVM refused a buffer, else 0).
 */
class OffHeap {

    static final int MIB = 1 << 20;

    public static void main(String[] arguments) {
        int heap = Integer.parseInt(arguments[0]);
        int wanted = Integer.parseInt(arguments[1]);
        var arrays = new ArrayList<byte[]>();
        for (int i = 0; i < 16 * heap; i++) {
            arrays.add(new byte[MIB / 16]); // G1 would give an array of a MiB two of its regions
        }
        var buffers = new ArrayList<ByteBuffer>();
        boolean refused = false;
        try {
            while (buffers.size() < wanted) {
                var buffer = ByteBuffer.allocateDirect(MIB);
                for (int page = 0; page < MIB; page += 4096) {
                    buffer.put(page, (byte) 1); // memory counts only when it is touched
                }
                buffers.add(buffer);
            }
        } catch (OutOfMemoryError e) {
            refused = true; // Cannot reserve 1048576 bytes of direct buffer memory
        }
        System.out.println("heap,buffers,refused");
        System.out.println(arrays.size() / 16 + "," + buffers.size() + "," + (refused ? 1 : 0));
    }
}
