package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static whatwaits.rules.Written.READ;
import static whatwaits.rules.Written.UNSAFE;
import static whatwaits.rules.Written.carrier;
import static whatwaits.rules.Written.virtual;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Who holds a carrier while it waits, and why. */
class PinTest {

    private static Pin pin(String thread, String operation, String line) {
        return new Pin(Pin.NOW, thread, operation, null, "worker", Double.NaN, Threads.stack(line));
    }

    private static final Pin ONE = pin("one", "a file", "shop.Texts.read(Texts.java:4)");

    @Test
    void two_looks_that_show_the_same_call_prove_a_pin() {
        var both = Pin.of(List.of(ONE), List.of(pin("one", "a file", "shop.Texts.read(Texts.java:4)")));
        assertEquals(1, both.size());
        assertTrue(both.getFirst().isNow());
    }

    @Test
    void another_thread_operation_or_line_is_another_pin_and_each_is_seen_once() {
        for (var other : List.of(
                pin("two", "a file", "shop.Texts.read(Texts.java:4)"),
                pin("one", "a lock", "shop.Texts.read(Texts.java:4)"),
                pin("one", "a file", "shop.Texts.read(Texts.java:9)"))) {
            var both = Pin.of(List.of(ONE), List.of(other));
            assertEquals(2, both.size(), other::toString);
            assertEquals(
                    List.of(other.thread(), ONE.thread()),
                    both.stream().map(Pin::thread).toList());
            both.forEach(pin -> assertEquals("now, in one of two dumps", pin.seen()));
            both.forEach(pin -> assertFalse(pin.isNow()));
            assertEquals(ONE.stack(), both.getLast().stack());
            assertEquals(ONE.carrier(), both.getLast().carrier());
        }
        assertEquals(List.of(), Pin.of(List.of(), List.of()));
    }

    /** Why one virtual thread, on the carrier 7, does not leave it. */
    private static String reason(String release, String state, String... frames) {
        var dump = Written.dump(release, Written.container("<root>", null, virtual(1, state, 7, frames), carrier(7)));
        var pins = dump.pinned();
        assertEquals(1, pins.size(), pins::toString);
        assertEquals("ForkJoinPool-1-worker-7", pins.getFirst().carrier());
        assertEquals("virtual thread #1", pins.getFirst().thread());
        return pins.getFirst().reason();
    }

    @Test
    void the_reason_is_what_the_frames_show() {
        var own = "shop.Till.pay(Till.java:4)";
        assertEquals("a system call, during which the JDK keeps the carrier", reason("25", "RUNNABLE", READ, own));
        assertEquals(
                "a class is being initialized",
                reason("25", "WAITING", UNSAFE, own, "shop.Rates.<clinit>(Rates.java:1)"));
        assertEquals(
                "a class is being loaded",
                reason("25", "WAITING", UNSAFE, own, "java.base/java.lang.ClassLoader.loadClass(ClassLoader.java:1)"));
        assertEquals(
                "a class is being loaded",
                reason("25", "WAITING", UNSAFE, own, "java.base/java.lang.Class.forName(C.java:1)"));
        assertEquals(
                "a native method on the stack", reason("25", "WAITING", UNSAFE, own, "shop.C.sort(Native Method)"));
        assertEquals("a native frame on the stack", reason("25", "WAITING", UNSAFE, own));
        assertEquals("a native frame on the stack", reason("24", "WAITING", UNSAFE, own));
        assertEquals("synchronized, or a native frame on the stack", reason("23", "WAITING", UNSAFE, own));
        assertEquals(
                "native code, or a class that another thread is initializing",
                reason("25", "WAITING", "shop.C.sort(C.java:3)", own));
    }

    @Test
    void a_read_from_a_socket_holds_the_carrier_unless_its_thread_is_parked() {
        var read = "java.base/sun.nio.ch.NioSocketImpl.tryRead(NioSocketImpl.java:1)";
        var own = "shop.Till.pay(Till.java:4)";
        assertEquals("a system call, during which the JDK keeps the carrier", reason("25", "RUNNABLE", read, own));
        var park = "java.base/sun.nio.ch.NioSocketImpl.park(NioSocketImpl.java:1)";
        assertEquals("a native frame on the stack", reason("25", "WAITING", UNSAFE, park, read, own));
        assertEquals(
                "a system call, during which the JDK keeps the carrier",
                reason("25", "RUNNABLE", read, read, read, "shop.Car.parked(Car.java:1)"));
    }

    @Test
    void another_look_says_which_still_hold_their_carrier() {
        var dump = Written.of(
                virtual(2, "RUNNABLE", 8, READ), virtual(1, "RUNNABLE", 7, READ), virtual(3, "WAITING", 0, READ));
        assertEquals(
                List.of("now virtual thread #1", "now, in one of two dumps virtual thread #2"),
                dump.pinned(thread -> thread.id() == 1).stream()
                        .map(pin -> pin.seen() + " " + pin.thread())
                        .toList());
    }
}
