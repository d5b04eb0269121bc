package whatwaits.look;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static whatwaits.Expect.refused;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import whatwaits.Expect;
import whatwaits.rules.Checklist;
import whatwaits.rules.Checklist.Answer;
import whatwaits.rules.Group;
import whatwaits.rules.Pin;
import whatwaits.rules.Requests;
import whatwaits.rules.ThreadDump;
import whatwaits.rules.Threads;
import whatwaits.rules.WaitReason;

/** Inspecting a program on every Java on this machine. Takes 10 s, most of it waiting. */
@Tag("deep")
class JvmTest {

    @Test
    void commands_of_this_jvm_have_the_names_that_its_bean_has_for_them() {
        var commands = List.of("Thread.dump_to_file", "VM.info", "JFR.start", "GC.heap_info");
        assertEquals(
                List.of("threadDumpToFile", "vmInfo", "jfrStart", "gcHeapInfo"),
                commands.stream().map(OwnCommands::operation).toList());
    }

    private static final Duration SHORT = Duration.ofMillis(600);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @MethodSource("whatwaits.look.Watched#javas")
    void a_program_is_seen_from_outside(int java) throws Exception {
        try (var watched = Watched.on(java, folder, 40, "pins")) {
            var listed = first(Jvm.list(), jvm -> jvm.pid() == watched.pid());
            assertEquals("Service", listed.main());
            assertTrue(listed.java().startsWith(String.valueOf(java)), listed.toString());
            assertTrue(listed.upSeconds() > 0, listed.toString());
            try (var jvm = Jvm.attach(watched.pid())) {
                assertEquals(java, jvm.java());
                var seen = jvm.toString();
                assertTrue(seen.startsWith("Process %d, Service, on Java".formatted(watched.pid())), seen);
                assertEquals(java < 24, seen.contains("Not seen before Java 24"), seen);
                pins(jvm, java);
                overTime(jvm, java);
                groups(jvm.dump(), java);
                var busy = jvm.threads(SHORT);
                assertEquals("(JVM itself)", busy.getLast().thread());
                var holds = first(jvm.checklist(), line -> line.should().startsWith("No thread holds a carrier"));
                assertEquals(Answer.CHANGE, holds.answer());
                // before Java 24, threads that wait inside synchronized hold theirs, too
                assertTrue(java < 24 || java > 25 || holds.seen().startsWith("2 threads, such as"), holds.toString());
            }
        }
    }

    private static void pins(Jvm jvm, int java) throws InterruptedException {
        var pins = jvm.pinned(Duration.ofSeconds(3));
        var slow1 = "Service$Slow1.<clinit>(Service.java:";
        var ended = first(
                pins,
                pin -> pin.seen().equals("ended") && pin.stack().toString().contains(slow1));
        assertTrue(ended.milliseconds() >= 395, ended.toString());
        assertEquals("pinned", ended.thread());
        assertTrue(ended.stack().where().startsWith("Service.pause(Service.java:"), ended.toString());
        assertEquals(java < 24, ended.carrier() == null, ended.toString());
        var now = first(pins, pin -> pin.seen().equals("now") && pin.thread().equals("pinned"));
        assertTrue(now.stack().toString().contains("Service$Slow2.<clinit>"), now.toString());
        assertTrue(now.carrier().startsWith("ForkJoinPool-1-worker-"), now.toString());
        assertEquals("a class is being initialized", now.reason());
        if (java < 26) {
            // later ones leave their carrier; the JVM says of this one that it runs
            var wants =
                    first(pins, pin -> pin.seen().equals("now") && pin.thread().equals("wants"));
            assertEquals("native code, or a class that another thread is initializing", wants.reason());
            var observed = jvm.observe(SHORT).dump().groups();
            var group = first(observed, one -> one.waits() == WaitReason.UNSEEN);
            assertEquals(wants.stack().where(), group.where());
        }
    }

    @Test
    void a_thread_that_is_in_one_of_two_looks_may_just_pass() {
        var stays = reads("stays", "Shop.read(Shop.java:1)");
        var first = List.of(stays, reads("goes on", "Shop.read(Shop.java:1)"));
        var second = List.of(stays, reads("goes on", "Shop.write(Shop.java:2)"));
        var both = Pin.of(first, second).stream().map(pin -> pin.thread() + " " + pin.seen());
        var once = "goes on now, in one of two dumps";
        assertEquals(List.of("stays now", once, once), both.toList());
    }

    private static Pin reads(String thread, String frame) {
        return new Pin("now", thread, "a file", "", "worker", Double.NaN, Threads.stack(frame));
    }

    private static void overTime(Jvm jvm, int java) throws InterruptedException {
        var samples = jvm.watch(Duration.ofSeconds(1));
        assertTrue(!samples.isEmpty() && samples.size() <= 11, samples.toString());
        for (var sample : samples) {
            assertEquals(java < 24, Double.isNaN(sample.mounted()), sample.toString());
            assertTrue(java < 24 || sample.parallelism() == 4 && sample.mounted() >= 1, sample.toString());
            assertTrue(sample.platformThreads() >= 8 && sample.cpus() >= 0, sample.toString());
            assertEquals(3, sample.pools().get("desk").threads(), sample.toString());
        }
    }

    private static void groups(ThreadDump dump, int java) {
        var text = dump.toString();
        var lock = first(dump.groups(), group -> group.where().startsWith("Service.wantLock(Service.java:"));
        assertEquals(WaitReason.LOCK, lock.waits());
        assertEquals(40, lock.size(), text);
        assertTrue(lock.virtual(), text);
        assertTrue(lock.what().startsWith("ReentrantLock"), text);
        if (java >= 25) {
            var till = first(dump.groups(), group -> !group.virtual() && group.waits() == WaitReason.LOCK);
            assertEquals("monitor-holder", till.holder(), text);
        }
        for (String what : List.of("CONDITION", "RESULT", "SOCKET", "TASK", "SLEEP")) {
            assertTrue(dump.count(WaitReason.valueOf(what)) >= 1, what + " is missing in " + text);
        }
        assertEquals(3, dump.count(WaitReason.QUEUE), text);
        var sentences = dump.groups().stream().map(Group::sentence).toList();
        assertTrue(sentences.contains("1 virtual waits for a queue (LinkedBlockingQueue, for an element)"), text);
        assertTrue(sentences.contains("1 virtual waits for a queue (ArrayBlockingQueue, for room)"), text);
        assertTrue(sentences.contains("1 virtual waits for a queue (SynchronousQueue, for a taker)"), text);
        assertEquals(1, dump.count(WaitReason.PERMIT), text);
        assertTrue(sentences.contains("3 platform are idle (pool desk)"), text);
        assertEquals(0, dump.count(WaitReason.CONNECTION), text);
        assertEquals(2, text.split("Service.wantLock\\(").length, text);
        assertFalse(dump.groups().stream().anyMatch(group -> group.where().contains("RMI")), text);
    }

    private static <T> T first(List<T> all, Predicate<T> wanted) {
        return all.stream().filter(wanted).findFirst().orElseThrow(() -> new AssertionError(all.toString()));
    }

    @Test
    void this_jvm_can_watch_itself() throws Exception {
        var waiting = Thread.startVirtualThread(JvmTest::waits);
        try (var jvm = Jvm.attach(ProcessHandle.current().pid())) {
            assertTrue(!jvm.watch(Duration.ofMillis(100)).isEmpty());
            var dump = jvm.dump().toString();
            assertTrue(dump.contains("JvmTest.waits("), dump);
            jvm.pinned(Duration.ofMillis(100));
        } finally {
            LockSupport.unpark(waiting);
        }
    }

    private static void waits() {
        LockSupport.park();
    }

    @Test
    void the_checklist_counts_on_silence_only_under_a_load() throws Exception {
        try (var watched = Watched.on(Runtime.version().feature(), folder, 1);
                var jvm = Jvm.attach(watched.pid())) {
            assertEquals(Answer.OPEN, waits(jvm.checklist()));
            assertEquals(Answer.OK, waits(jvm.checklist(JvmTest::load)));
        }
    }

    private static Answer waits(List<Checklist.Line> lines) {
        return first(lines, line -> line.should().equals("Requests wait more than they compute"))
                .answer();
    }

    /** Fifty requests in five seconds, of a second each. */
    private static Requests load() throws InterruptedException {
        Thread.sleep(Duration.ofSeconds(5));
        return new Requests(50, 5, 1, "a test", List.of());
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
            refused("has ended: whatwaits list, or Jvm.list(), shows", () -> jvm.watch(Duration.ofMinutes(5)));
            assertTrue(killer.get());
            assertThrows(IllegalStateException.class, jvm::dump);
        }
    }

    @Test
    void who_has_left_is_told_to_attach_again() throws Exception {
        var left = Jvm.attach(ProcessHandle.current().pid());
        left.close();
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
