package threadlab.measure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import threadlab.support.Numbers;

class MachineTest {

    private static final long GIB = 1L << 30;

    @TempDir
    private Path root;

    private void file(String name, String text) throws IOException {
        var file = root.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    @Test
    void this_machine_has_a_cpu_and_room_for_threads() {
        var machine = Machine.here();
        assertTrue(machine.cpus() >= 1);
        assertTrue(machine.carriers() >= 1);
        assertTrue(machine.virtualThreads() > machine.platformThreads() / 10);
        assertTrue(machine.platformThreads() > 0);
        assertTrue(machine.table().stringColumn("what").contains("platform threads that fit"));
    }

    @Test
    void a_system_that_hides_its_limits_gets_a_careful_number() throws IOException {
        var machine = Machine.of(8, 64 * GIB, GIB, root, "full");
        assertEquals(2_000, machine.platformThreads());
        assertTrue(machine.table().printAll().contains("a cautious number"));
        assertTrue(machine.table().printAll().contains("about 810,000"), "two digits of 805,306");
        assertEquals(256, Machine.of(1, GIB, GIB - (64 << 20), root, "").platformThreads());

        file("proc/sys/vm/max_map_count", "1048576\n");
        assertEquals(2_000, Machine.of(8, 64 * GIB, GIB, root, "").platformThreads());
    }

    @Test
    void a_system_without_proc_is_asked_by_sysctl() throws IOException {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "nothing runs a script here");
        file("usr/sbin/sysctl", "#!/bin/sh\n[ \"$*\" = '-n kern.num_taskthreads' ] && echo 3000\n");
        assertTrue(root.resolve("usr/sbin/sysctl").toFile().setExecutable(true));
        var machine = Machine.of(8, 64 * GIB, GIB, root, "");
        assertEquals(1_500, machine.platformThreads());
        assertTrue(machine.table().printAll().contains("half of the threads of a process (kern.num_taskthreads)"));

        // as Linux answers
        file("usr/sbin/sysctl", "#!/bin/sh\necho 'sysctl: cannot stat' >&2\nexit 255\n");
        assertEquals(2_000, Machine.of(8, 64 * GIB, GIB, root, "").platformThreads());
    }

    /** What a machine of 2 GiB, a quarter of it heap, reads in its files, and the limit that decides. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = ';',
            value = {
                "memory decides far from any limit; 6144; proc/sys/kernel/threads-max=192730; outside the heap",
                "the smallest; 5000; proc/self/limits=Max processes  96365  96365  processes"
                        + "|proc/sys/kernel/pid_max=32768|proc/sys/vm/max_map_count=20000; /proc/sys/vm/max_map_count",
                "a container; 150; proc/sys/kernel/pid_max=4194304|proc/self/cgroup=0::/pod/one"
                        + "|sys/fs/cgroup/pod/one/pids.max=300; /sys/fs/cgroup/pod/one/pids.max",
                "a group above; 250; proc/self/cgroup=0::/user/pod/one|sys/fs/cgroup/user/pod/one/pids.max=max"
                        + "|sys/fs/cgroup/user/pod/pids.max=500|sys/fs/cgroup/user/pids.max=4000"
                        + "; /sys/fs/cgroup/user/pod/pids.max",
                "the root; 100; proc/self/cgroup=0::/pod/one|sys/fs/cgroup/pod/one/pids.max=400"
                        + "|sys/fs/cgroup/pids.max=200; /sys/fs/cgroup/pids.max",
                "version 1; 300; proc/self/cgroup=9:memory:/docker/a~4:pids:/docker/a~0::/docker/a"
                        + "|sys/fs/cgroup/pids/docker/a/pids.max=9000|sys/fs/cgroup/pids/docker/pids.max=600"
                        + "; /sys/fs/cgroup/pids/docker/pids.max",
                "no limit; 6144; proc/sys/kernel/threads-max=192730|sys/fs/cgroup/pids.max=max"
                        + "|proc/self/limits=Max processes  unlimited  unlimited  processes; outside the heap"
            })
    void the_limit_that_decides_is_named(String what, int threads, String files, String source) throws IOException {
        for (String each : files.split("\\|")) {
            file(each.split("=")[0], each.split("=")[1].replace('~', '\n') + "\n");
        }
        var machine = Machine.of(1, 2 * GIB, GIB / 2, root, "");
        assertEquals(threads, machine.platformThreads());
        assertEquals(GIB / 2 * 6 / 10 / 800, machine.virtualThreads());
        assertTrue(machine.table().printAll().contains(source), machine.table()::printAll);
    }

    @Test
    void the_scale_picks_a_value_and_an_unknown_scale_is_named() {
        assertEquals(1, Machine.of(1, GIB, GIB, root, "small").scaled(1, 2, 3));
        assertEquals(2, Machine.of(1, GIB, GIB, root, "").scaled(1, 2, 3));
        assertEquals(3, Machine.of(1, GIB, GIB, root, "full").scaled(1, 2, 3));

        var huge = Machine.of(1, GIB, GIB, root, "huge");
        var error = assertThrows(IllegalStateException.class, () -> huge.scaled(1, 2, 3));
        assertEquals("THREADLAB_SCALE is \"huge\": set it to small or full, or leave it unset.", error.getMessage());
    }

    @Test
    void numbers_keep_few_digits() {
        assertEquals("0", Numbers.rounded(0, 3));
        assertEquals("1,235", Numbers.rounded(1234.5, 3));
        assertEquals("0.05", Numbers.rounded(0.05, 3));
        assertEquals("512.7", Numbers.rounded(512.74, 4));
        assertEquals("-2.5", Numbers.rounded(-2.5, 3));
        assertEquals("10", Numbers.rounded(10, 3));
        assertEquals("NaN", Numbers.rounded(Double.NaN, 3));
    }
}
