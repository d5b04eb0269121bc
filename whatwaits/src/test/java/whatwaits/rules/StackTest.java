package whatwaits.rules;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static whatwaits.rules.Threads.stack;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is said of the frames of a thread. */
class StackTest {

    private static final String WAIT = "java.lang.Object.wait0(Native Method)";
    private static final String SPRING = "org.springframework.web.Filter.go(Filter.java:2)";
    private static final String PROXY = "com.zaxxer.hikari.pool.ProxyConnection.commit(ProxyConnection.java:1)";
    private static final String PAY = "shop.Till.pay(Till.java:4)";
    private static final String SELL = "shop.Shop.sell(Shop.java:9)";

    @Test
    void a_reader_looks_for_the_programs_line_then_a_librarys_then_the_jdks() {
        assertEquals(PAY, stack(WAIT, SPRING, PAY, SELL).where());
        assertEquals(SPRING, stack(WAIT, SPRING).where());
        assertEquals(WAIT, stack(WAIT).where());
        assertEquals("", stack().where());
    }

    @Test
    void its_path_has_the_programs_frames_alone_and_at_most_twelve() {
        assertEquals(PAY + "\n" + SELL, stack(WAIT, PAY, SPRING, SELL).path());
        assertEquals(SPRING, stack(WAIT, SPRING).path());
        var deep = IntStream.range(0, 20)
                .mapToObj(i -> "shop.Deep.call(Deep.java:" + i + ")")
                .toArray(String[]::new);
        assertEquals(12, stack(deep).path().lines().count());
    }

    @Test
    void whoever_runs_a_statement_or_began_the_transaction_keeps_the_connection() {
        assertEquals(PAY, stack(WAIT, PAY, PROXY, WAIT).keeps());
        assertEquals(SELL, stack(PROXY, PAY, SPRING, SELL, PROXY).keeps());
        assertEquals(PAY, stack(PROXY, PAY, SELL).keeps());
        assertEquals(WAIT, stack(WAIT).keeps());
    }

    @Test
    void frames_of_others_are_counted_with_their_owners() {
        var folded = stack(WAIT, "java.lang.Object.wait(Object.java:1)", SPRING, PAY, SPRING, SELL, WAIT)
                .folded();
        assertEquals(
                List.of(
                        "… 3 frames of the JDK, org.springframework",
                        PAY,
                        "… 1 frame of org.springframework",
                        SELL,
                        "… 1 frame of the JDK"),
                folded);
        assertEquals(List.of(PAY, SELL), stack(PAY, SELL).folded());
    }

    @Test
    void without_a_frame_of_the_program_the_innermost_three_are_shown() {
        var jdk = IntStream.range(0, 5)
                .mapToObj(i -> "java.lang.A.b(A.java:" + i + ")")
                .toArray(String[]::new);
        var folded = stack(jdk).folded();
        assertEquals(List.of(jdk[0], jdk[1], jdk[2], "… 2 frames of the JDK"), folded);
        assertEquals(List.of(WAIT), stack(WAIT).folded());
    }

    @Test
    void at_most_twelve_frames_of_the_program_are_shown() {
        var deep = IntStream.range(0, 20)
                .mapToObj(i -> "shop.Deep.call(Deep.java:" + i + ")")
                .toArray(String[]::new);
        var folded = stack(deep).folded();
        assertEquals(13, folded.size());
        assertEquals("… 8 frames of shop.Deep", folded.getLast());
        var one = Stream.concat(Stream.of(deep).limit(12), Stream.of("Main.main(Main.java:1)"))
                .toArray(String[]::new);
        assertEquals("… 1 frame of Main", stack(one).folded().getLast());
    }

    @ParameterizedTest
    @CsvSource({
        "java.lang.Class.forName0(Native Method), true",
        "jdk.internal.misc.Unsafe.ensureClassInitialized0(Native Method), true",
        "shop.C.sort(Native Method), false",
        "shop.Till.pay(Till.java:4), true",
        "java.lang.Thread.sleep(Thread.java:1), false",
        "java.util.concurrent.FutureTask.run(FutureTask.java:1), true",
        "java.util.concurrent.ThreadPoolExecutor.runWorker(T.java:1), true",
        "java.util.concurrent.FutureTask.get(FutureTask.java:1), false"
    })
    void the_innermost_call_may_be_the_first_use_of_a_class(String frame, boolean may) {
        assertEquals(may, stack(frame, PAY).mayInitialize());
        assertFalse(stack().mayInitialize());
    }

    @Test
    void signs_are_looked_for_in_all_frames_or_at_the_innermost() {
        var parked = stack("java.lang.VirtualThread.park(VirtualThread.java:1)", PAY);
        assertTrue(parked.ends(Sign.UNMOUNTS) && parked.says(Sign.UNMOUNTS));
        var below = stack(PAY, "java.lang.VirtualThread.park(VirtualThread.java:1)");
        assertTrue(!below.ends(Sign.UNMOUNTS) && below.says(Sign.UNMOUNTS));
        assertFalse(stack().ends(Sign.UNMOUNTS));
        assertTrue(stack(PAY).has(Frame::isOwn) && !stack(WAIT).has(Frame::isOwn));
        assertEquals(
                PAY,
                stack(WAIT, PAY, SELL).innermost(Frame::isOwn).orElseThrow().text());
        assertEquals(
                SELL,
                stack(PAY, SELL, WAIT).outermost(Frame::isOwn).orElseThrow().text());
        assertEquals(PAY + "\n" + WAIT, stack(PAY, WAIT).toString());
    }

    private static final String HIKARI = "com.zaxxer.hikari.pool.HikariPool.getConnection(HikariPool.java:1)";
    private static final String CLIENT = "redis.clients.jedis.util.Pool.getResource(Pool.java:1)";

    @Test
    void of_several_libraries_the_one_that_uses_the_others_is_waited_for() {
        assertEquals(
                "HikariCP", stack(WAIT, CLIENT, SPRING, HIKARI, PAY).library().name());
        assertEquals("Jedis", stack(WAIT, CLIENT, PAY, HIKARI).library().name());
        assertNull(stack(WAIT, PAY, HIKARI).library());
        assertNull(stack(WAIT).library());
    }

    @Test
    void a_library_is_known_by_its_method_wherever_it_is_packed() {
        assertEquals(
                "HikariCP",
                Library.of("com.zaxxer.hikari.pool.HikariPool.getConnection").name());
        assertEquals(
                "HikariCP",
                Library.of("shop.packed.com.zaxxer.hikari.pool.HikariPool.getConnection")
                        .name());
        assertNull(Library.of("Shop.com.zaxxer.hikari.pool.HikariPool.getConnection"), "a class is no package");
        assertNull(Library.of("com.zaxxer.hikari.pool.HikariPool.close"));
        assertNull(Library.of("main"));
    }

    @Test
    void what_a_row_says_of_a_library() {
        assertTrue(Library.of("redis.clients.jedis.util.Pool.getResource").isClient());
        assertFalse(
                Library.of("com.zaxxer.hikari.pool.HikariPool.getConnection").isClient());
        assertTrue(Library.of("io.netty.channel.epoll.Native.epollWait").listens());
        assertFalse(Library.of("io.lettuce.core.internal.Futures.awaitOrCancel").listens());
        assertTrue(Library.of("io.helidon.webserver.ServerListener.listen").stopsAcceptor());
        assertFalse(Library.of("org.apache.activemq.usage.Usage.waitForSpace").stopsAcceptor());
    }
}
