package threadlab.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static threadlab.Expect.refused;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tech.tablesaw.api.Table;
import threadlab.Expect;
import threadlab.child.ChildJvm;
import threadlab.plot.Plots;

/** Inspecting a program on every Java on this machine. Takes 10 s, most of it waiting. */
@Tag("deep")
class JvmTest {

    private static final Duration SHORT = Duration.ofMillis(600);

    @TempDir
    private Path folder;

    static List<Integer> javas() {
        return ChildJvm.javas();
    }

    @ParameterizedTest
    @MethodSource("javas")
    void a_program_is_seen_from_outside(int java) throws Exception {
        try (var watched = Watched.on(java, folder, 40, "pins")) {
            var own = Jvm.list();
            var row = own.where(own.longColumn("pid").isEqualTo(watched.pid()));
            assertEquals(1, row.rowCount(), own.print());
            // the program, not the class of this library that calls it
            assertEquals("Service", row.getString(0, "main"), own.print());
            assertTrue(row.getString(0, "java").startsWith(String.valueOf(java)), row.print());
            assertTrue(row.doubleColumn("up (s)").get(0) > 0, row.print());
            try (var jvm = Jvm.attach(watched.pid())) {
                assertEquals(java, jvm.java());
                var seen = jvm.toString();
                assertTrue(seen.startsWith("Process %d, Service, on Java".formatted(watched.pid())), seen);
                assertEquals(java < 24, seen.contains("Not seen before Java 24"), seen);
                pins(jvm, java);
                overTime(jvm, java);
                groups(jvm.dump(), java);
                var busy = jvm.threads(SHORT);
                assertEquals("(JVM itself)", busy.getString(busy.rowCount() - 1, "thread"));
            }
        }
    }

    private static void pins(Jvm jvm, int java) throws InterruptedException {
        var pins = jvm.pinned(Duration.ofSeconds(3));
        var ended = pins.where(pins.stringColumn("seen").isEqualTo("ended"));
        var two = ended.where(ended.stringColumn("stack").containsString("Service$Slow1.<clinit>(Service.java:"));
        assertFalse(two.isEmpty(), pins.print());
        assertTrue(two.doubleColumn("milliseconds").get(0) >= 395, two.print());
        assertEquals("pinned", two.getString(0, "thread"));
        assertTrue(two.getString(0, "where").startsWith("Service.pause(Service.java:"), two.print());
        assertEquals(java < 24, two.stringColumn("carrier").isMissing(0), two.print());
        var now = pins.where(pins.stringColumn("seen").isEqualTo("now"));
        var slow = now.where(now.stringColumn("thread").isEqualTo("pinned"));
        assertEquals(1, slow.rowCount(), pins.print());
        assertTrue(slow.getString(0, "stack").contains("Service$Slow2.<clinit>"), slow.print());
        assertTrue(slow.getString(0, "carrier").startsWith("ForkJoinPool-1-worker-"), slow.print());
        assertEquals("a class is being initialized", slow.getString(0, "reason"));
    }

    @Test
    void a_thread_that_is_in_one_of_two_looks_may_just_pass() {
        var first = Pins.none();
        var second = Pins.none();
        for (Table look : List.of(first, second)) {
            reads(look, "stays", "worker-1", "Shop.read(Shop.java:1)");
        }
        reads(first, "goes on", "worker-2", "Shop.read(Shop.java:1)");
        reads(second, "goes on", "worker-2", "Shop.write(Shop.java:2)");
        var both = Pins.twoLooks(first, second);
        assertEquals(
                List.of("now", "now, in one of two dumps", "now, in one of two dumps"),
                both.stringColumn("seen").asList(),
                both.print());
        assertEquals(
                List.of("stays", "goes on", "goes on"),
                both.stringColumn("thread").asList(),
                both.print());
    }

    private static void overTime(Jvm jvm, int java) throws InterruptedException {
        var table = jvm.watch(Duration.ofSeconds(1));
        assertTrue(table.rowCount() >= 1 && table.rowCount() <= 11, table.print());
        assertEquals(java < 24, table.doubleColumn("mounted").countMissing() == table.rowCount(), table.print());
        if (java >= 24) {
            assertEquals(4, table.doubleColumn("parallelism").min());
            assertTrue(table.doubleColumn("mounted").min() >= 1, table.print());
        }
        assertTrue(table.doubleColumn("platform threads").min() >= 8, table.print());
        assertEquals(3, table.doubleColumn("threads desk").max(), table.print());
        assertTrue(table.doubleColumn("CPUs").min() >= 0, table.print());
        Plots.overTime(table, "platform threads", "CPUs");
    }

    private static void groups(ThreadDump dump, int java) {
        var table = dump.table();
        var text = dump.toString();
        var lock = table.where(table.stringColumn("where").startsWith("Service.wantLock(Service.java:"));
        assertEquals("a lock", lock.getString(0, "waits for"));
        assertEquals(40, lock.intColumn("threads").get(0), text);
        assertEquals("virtual", lock.getString(0, "kind"));
        assertTrue(lock.getString(0, "what").startsWith("ReentrantLock"), text);
        if (java >= 25) {
            var till = table.where(table.stringColumn("kind").isEqualTo("platform"))
                    .where(platform -> platform.stringColumn("waits for").isEqualTo("a lock"));
            assertEquals("monitor-holder", till.getString(0, "holder"), text);
        }
        for (WaitReason what : List.of(
                WaitReason.QUEUE,
                WaitReason.PERMIT,
                WaitReason.CONDITION,
                WaitReason.RESULT,
                WaitReason.SOCKET,
                WaitReason.TASK,
                WaitReason.SLEEP)) {
            assertTrue(dump.count(what) >= 1, what + " is missing in " + text);
        }
        assertEquals(3, dump.count(WaitReason.QUEUE), text);
        var sentences = dump.groups().stream().map(Group::sentence).toList();
        assertTrue(sentences.contains("1 virtual waits for a queue (LinkedBlockingQueue, for an element)"), text);
        assertTrue(sentences.contains("1 virtual waits for a queue (ArrayBlockingQueue, for room)"), text);
        assertTrue(sentences.contains("1 virtual waits for a queue (SynchronousQueue, for a taker)"), text);
        assertEquals(1, dump.count(WaitReason.PERMIT), text);
        assertTrue(sentences.contains("3 platform are idle (pool desk)"), text);
        assertEquals(0, dump.count(WaitReason.CONNECTION), text);
        assertEquals(
                1,
                text.lines().filter(line -> line.contains("Service.wantLock(")).count(),
                text);
        assertFalse(table.stringColumn("where").asList().stream().anyMatch(where -> where.contains("RMI")), text);
    }

    private static void reads(Table look, String thread, String carrier, String frame) {
        Pins.add(look, Pins.NOW, thread, "a file", "", carrier, Double.NaN, List.of(frame), Frames.byName());
    }

    @Test
    void this_jvm_can_watch_itself() throws Exception {
        var end = new CountDownLatch(1);
        Thread.startVirtualThread(() -> waitFor(end));
        try (var jvm = Jvm.attach(ProcessHandle.current().pid())) {
            assertTrue(jvm.watch(Duration.ofMillis(100)).rowCount() > 0);
            assertTrue(
                    jvm.dump().toString().contains("JvmTest.waitFor("),
                    jvm.dump().toString());
            jvm.pinned(Duration.ofMillis(100));
        } finally {
            end.countDown();
        }
    }

    private static void waitFor(CountDownLatch end) {
        try {
            end.await();
        } catch (InterruptedException e) {
            // the end of the test
        }
    }

    @Test
    void a_jvm_that_ends_meanwhile_is_told_in_one_sentence() throws Exception {
        try (var watched = Watched.on(Runtime.version().feature(), folder, 1);
                var jvm = Jvm.attach(watched.pid())) {
            var here = Thread.currentThread();
            var killer = new FutureTask<>(() -> {
                Expect.await("a thread that watches", () -> Stream.of(here.getStackTrace())
                        .anyMatch(frame -> frame.getMethodName().equals("watch")));
                return ProcessHandle.of(watched.pid()).orElseThrow().destroyForcibly();
            });
            Thread.ofPlatform().start(killer);
            refused("has ended: Jvm.list() shows", () -> jvm.watch(Duration.ofMinutes(5)));
            assertTrue(killer.get());
            assertThrows(IllegalStateException.class, jvm::dump);
        }
    }

    @Test
    void who_has_left_is_told_to_attach_again() throws Exception {
        Jvm left;
        try (var jvm = Jvm.attach(ProcessHandle.current().pid())) {
            left = jvm;
        }
        refused("attach again", () -> left.watch(SHORT));
    }

    @Test
    void an_interrupt_ends_the_watching() throws Exception {
        try (var jvm = Jvm.attach(ProcessHandle.current().pid())) {
            Thread.currentThread().interrupt();
            assertThrows(InterruptedException.class, () -> jvm.watch(Duration.ofSeconds(60)));
        }
    }
}
