package threadlab.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CpuShareTest {

    /** Returns the values that a test has put in, one after the other. */
    private static final class Given implements CpuTimes {
        private final Deque<CpuShare.Counted> counted = new ArrayDeque<>();

        @Override
        public void begin(List<Long> alsoOwn) {}

        @Override
        public CpuShare.Counted end(List<Long> alsoOwn) {
            return counted.removeFirst();
        }
    }

    private final Given given = new Given();

    @TempDir
    private Path root;

    private CpuShare share;

    @BeforeEach
    void here() {
        share = new CpuShare(given, root);
    }

    private void measure(double own, double kept) {
        given.counted.add(new CpuShare.Counted(own, kept));
        share.measuring().close();
    }

    @Test
    void all_measurements_since_the_claims_before_count_together() {
        measure(1, 0);
        measure(1, 2);
        assertEquals(0.5, share.latest());
        assertEquals(0.5, share.latest(), "a second claim about the same measurements");
        measure(3, 1);
        assertEquals(0.75, share.latest());
    }

    @ParameterizedTest
    @CsvSource({"0::/pod, pod", "4:cpu:/pod, cpu/pod"})
    void a_quota_counts_where_it_stops_what_is_measured(String line, String folder) throws IOException {
        write(root, "proc/self/cgroup", line + "\n");
        var file = "sys/fs/cgroup/" + folder + "/cpu.stat";
        write(root, file, "nr_periods 100\nnr_throttled 90\n");
        given.counted.add(new CpuShare.Counted(1, 0));
        try (var _ = share.measuring()) {
            write(root, file, "nr_periods 140\nnr_throttled 100\n");
        }
        write(root, file, "nr_periods 200\nnr_throttled 160\n");
        assertEquals(0.25, share.throttled(), "not what is between measurements");
        share.latest();
        measure(1, 0);
        assertEquals(0, share.throttled(), "of the measurements since");
    }

    @Test
    void of_the_threads_that_a_cell_left_behind_only_one_that_computes_disturbs() throws InterruptedException {
        var end = new AtomicBoolean();
        var waits = Thread.ofPlatform().name("waits").start(LockSupport::park);
        share.leftBehind(List.of(waits));
        assertEquals(Optional.empty(), share.stillComputing());
        var computes = Thread.ofPlatform().name("computes").start(() -> {
            while (!end.get()) {
                Thread.onSpinWait();
            }
        });
        share.leftBehind(List.of(computes));
        Optional<String> found;
        do {
            found = share.stillComputing(); // until it has had a CPU, which it may lose at once
        } while (found.isEmpty());
        assertEquals(Optional.of("computes"), found);
        end.set(true);
        computes.join();
        assertEquals(Optional.empty(), share.stillComputing());
        LockSupport.unpark(waits);
    }

    @Test
    void windows_inside_others_count_once() {
        given.counted.add(new CpuShare.Counted(1, 1));
        var outer = share.measuring();
        var inner = share.measuring();
        inner.close();
        inner.close();
        outer.close();
        assertEquals(0.5, share.latest());
    }

    @Test
    void a_cell_that_reads_the_clock_counts_but_not_one_with_a_window_or_a_claim() {
        var cell = new Given();
        cell.counted.add(new CpuShare.Counted(1, 3));
        share.cell(cell, 0).close();
        assertEquals(0.25, share.latest());
        var claims = share.cell(cell, 0);
        assertEquals(0.25, share.latest());
        claims.close();
        var measures = share.cell(cell, 0);
        measure(1, 1);
        measures.close();
        share.cell(cell, Long.MAX_VALUE).close(); // it is done sooner
        assertEquals(0.5, share.latest());
    }

    @Test
    void no_or_too_little_cpu_time_says_nothing() {
        assertEquals(1, share.latest());
        measure(0.01, 10);
        assertEquals(1, share.latest());
    }

    @Test
    void others_kept_their_part_of_the_waiting_and_what_a_hypervisor_took() {
        assertEquals(0, CpuTimes.counted(2, 0, 0, 5, 1).kept(), "own threads waited for own threads");
        assertEquals(1.5, CpuTimes.counted(1, 3, 0, 2, 0).kept());
        assertEquals(3, CpuTimes.counted(1, 3, 0, 400, 0).kept(), "no more than they used");
        assertEquals(0.5, CpuTimes.counted(1, 1, 1, 0, 0).kept());
    }

    @Test
    void a_little_in_each_second_harms_nobody() {
        double little = CpuTimes.HARMLESS * 20;
        assertEquals(0, CpuTimes.counted(0.5, 0, little, 0, 20).kept(), "own threads slept most of the 20 s");
        assertEquals(1, CpuTimes.counted(0.5, 0, little + 1, 0, 20).kept(), 1e-9);
    }

    @Test
    void linux_counts_own_processes_and_the_cpus_that_they_may_use(@TempDir Path proc) throws IOException {
        long self = ProcessHandle.current().pid();
        write(proc, "self/status", "Name:\tjava\nCpus_allowed_list:\t0,2-3\n");
        machine(proc, 0, 0);
        process(proc, self, 1, 0);
        process(proc, 70_001, self, 0);
        process(proc, 70_002, 1, 0);
        process(proc, 70_003, 1, 0);
        thread(proc, self, 0, 0);
        var times = new LinuxCpuTimes(proc, () -> 0);
        times.begin(List.of(70_003L));
        machine(proc, 600, 0); // 6 s on each CPU
        process(proc, self, 1, 100);
        process(proc, 70_001, self, 200); // a child
        process(proc, 70_002, 1, 500); // another program's
        process(proc, 70_003, 1, 300); // a database
        thread(proc, self, 3, 4); // half of the own CPU time, so the waiting is doubled
        var counted = times.end(List.of(70_003L));
        assertEquals(6, counted.own(), 1e-9);
        assertEquals(8.0 * 12 / 18, counted.kept(), 1e-9);
    }

    @Test
    void linux_counts_the_time_that_a_hypervisor_took(@TempDir Path proc) throws IOException {
        long self = ProcessHandle.current().pid();
        machine(proc, 0, 0);
        process(proc, self, 1, 0);
        var times = new LinuxCpuTimes(proc, () -> 0);
        times.begin(List.of());
        machine(proc, 50, 100);
        process(proc, self, 1, 200);
        assertEquals(new CpuShare.Counted(2, 4), times.end(List.of()));
    }

    @Test
    void a_computing_thread_stands_for_others_where_no_file_shows_who_waited() throws InterruptedException {
        var times = new SpinCpuTimes();
        times.begin(List.of());
        long end = System.nanoTime() + 300_000_000;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
        var counted = times.end(List.of());
        assertTrue(counted.own() > 0, "own CPU time: " + counted);
        assertTrue(counted.kept() >= 0 && Double.isFinite(counted.kept()), "kept: " + counted);
    }

    /** Four equal CPUs: busy and stolen time in hundredths of a second. */
    private static void machine(Path proc, int busy, int stolen) throws IOException {
        var text = new StringBuilder("cpu  1 2 3 4 5 6 7 8 0 0\n");
        for (int cpu = 0; cpu < 4; cpu++) {
            text.append("cpu%d %d 0 0 9 9 0 0 %d 0 0%n".formatted(cpu, busy, stolen));
        }
        write(proc, "stat", text + "intr 5\n");
    }

    private static void process(Path proc, long pid, long parent, int hundredths) throws IOException {
        write(
                proc,
                pid + "/stat",
                pid + " (a (b) c) S " + parent + " 0 0 0 0 0 0 0 0 0 " + hundredths + " 0 0 0 20 0\n");
        Files.createDirectories(proc.resolve(pid + "/task"));
    }

    private static void thread(Path proc, long pid, int run, int waited) throws IOException {
        write(proc, pid + "/task/" + pid + "/schedstat", run + "000000000 " + waited + "000000000 7\n");
    }

    private static void write(Path proc, String file, String text) throws IOException {
        var path = proc.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
