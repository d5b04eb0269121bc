package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How frames, pools and numbers are read and written. */
class NamesTest {

    private static Frame frame(String text) {
        return new Frame(text, Owner.OWN, Set.of(Sign.PARKS), null);
    }

    @ParameterizedTest
    @CsvSource({
        "shop.Till.pay(Till.java:12), 12",
        "shop.Till.pay(Till.java:7), 7",
        "shop.Till.pay(Till.java), -1",
        "shop.Till.pay(Native Method), -1",
        "shop.Till.pay(Till.java:), -1",
        "shop.Till.pay(Till.java:1a), -1",
        "shop.Till.pay, -1",
        ":5), 5"
    })
    void the_number_of_a_line(String text, int line) {
        assertEquals(line, frame(text).line());
    }

    @ParameterizedTest
    @CsvSource({
        "shop.Till.pay(Till.java:12), shop.Till.pay, shop.Till, Till, shop.Till.pay",
        "shop.Till$Drawer.open(Till.java:1), shop.Till$Drawer.open, shop.Till$Drawer, Till, shop.Till$Drawer.open",
        "Shop.lambda$sell$0(Shop.java:1), Shop.lambda$sell$0, Shop, Shop, Shop.sell",
        "Shop.lambda$static$3(Shop.java:1), Shop.lambda$static$3, Shop, Shop, Shop.<clinit>",
        "Shop.lambda$new$12(Shop.java:1), Shop.lambda$new$12, Shop, Shop, Shop.<init>",
        "Shop.static(Shop.java:1), Shop.static, Shop, Shop, Shop.static"
    })
    void the_names_in_a_frame(String text, String method, String type, String simple, String caller) {
        var frame = frame(text);
        assertEquals(method, frame.method());
        assertEquals(type, Frame.type(text));
        assertEquals(simple, frame.simpleType());
        assertEquals(caller, frame.caller());
        assertEquals(text, frame.toString());
    }

    @Test
    void what_a_frame_says() {
        assertTrue(frame("a.B.c(B.java:1)").says(Sign.PARKS));
        assertFalse(frame("a.B.c(B.java:1)").says(Sign.LOCK));
        assertTrue(frame("a.B.<clinit>(B.java:1)").initializesClass());
        assertFalse(frame("a.B.c(B.java:1)").initializesClass());
        assertEquals("main", Frame.method("main"));
        assertEquals("", Frame.type("main"));
    }

    @ParameterizedTest
    @CsvSource({
        "http-nio-8080-exec-7, http-nio-8080-exec",
        "worker#3, worker",
        "main, main",
        "RMI TCP Connection(3)-127.0.0.1, RMI TCP Connection",
        "12, 12",
        "' ', (no name)"
    })
    void a_pool_is_its_threads_name_without_the_number(String thread, String pool) {
        assertEquals(pool, Pool.of(thread));
    }

    @ParameterizedTest
    @CsvSource({
        "http-nio-8080-exec, true, false",
        "http-nio-8080-Acceptor, false, false",
        "my-exec, false, false",
        "qtp123, true, false",
        "DRDAConnThread, true, false",
        "XNIO-1 task, true, true",
        "XNIO-1 I/O, false, false",
        "default task, true, true",
        "executor-thread, true, true",
        "vert.x-worker-thread, true, true",
        "pool-1-thread, false, false"
    })
    void pools_that_answer_requests(String pool, boolean answers, boolean readsAhead) {
        assertEquals(answers, Library.answersRequests(pool));
        assertEquals(readsAhead, Library.readsAhead(pool));
    }

    @ParameterizedTest
    @CsvSource({
        "Reference Handler, true, false",
        "JFR Recorder Thread, true, true",
        "Attach Listener, true, true",
        "SubPoller-1, true, false",
        "Cleaner-0, true, false",
        "main, false, false",
        "My Finalizer, false, false"
    })
    void threads_that_every_jvm_has(String thread, boolean jvms, boolean watches) {
        assertEquals(jvms, Pool.isJvms(thread));
        assertEquals(watches, Pool.watches(thread));
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1 thread",
        "0, 0 threads",
        "999, 999 threads",
        "1000, '1,000 threads'",
        "-999, -999 threads",
        "-1000, '-1,000 threads'",
        "1234567, '1,234,567 threads'"
    })
    void whole_numbers(long n, String text) {
        assertEquals(text, Text.count(n, "thread"));
    }

    @ParameterizedTest
    @CsvSource({
        "0, 2, 0",
        "0.0123, 2, 0.012",
        "0.0126, 2, 0.013",
        "99.6, 2, 100",
        "9.96, 2, 10",
        "1234.5, 2, '1,235'",
        "0.5, 3, 0.5",
        "-0.25, 2, -0.25",
        "-1234, 2, '-1,234'",
        "10, 2, 10",
        "9.5, 1, 10",
        "1e-20, 2, 0",
        "NaN, 2, NaN",
        "Infinity, 2, Infinity"
    })
    void rounded_numbers(double value, int digits, String text) {
        assertEquals(text, Text.rounded(value, digits));
    }
}
