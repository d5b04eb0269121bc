package threadlab.child;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups of both versions in made-up trees, and of this machine's version in a real child. Takes 3 s. */
@Tag("deep")
class ControlGroupTest {

    @TempDir
    private Path root;

    private void write(String file, String text) throws IOException {
        var path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    private void secondVersion(String handedDown) throws IOException {
        write("proc/self/cgroup", "0::/user/app/page.scope\n");
        write("sys/fs/cgroup/user/app/cgroup.subtree_control", handedDown);
        write("sys/fs/cgroup/user/app/cgroup.procs", "");
        write("sys/fs/cgroup/user/app/page.scope/cgroup.subtree_control", "\n");
        write("sys/fs/cgroup/user/app/page.scope/cgroup.procs", "4711\n");
    }

    @Test
    void aGroupOfVersionTwoStandsBesideTheJvmsOwn() throws IOException {
        secondVersion("cpu memory pids\n");
        var group = ControlGroup.make(root, 0.5, 512 << 20);
        var command = String.join(" ", group.command());
        var folder = Path.of(command.replaceAll("(?s).*'(.*)/cgroup.procs'.*", "$1"));
        assertEquals(root.resolve("sys/fs/cgroup/user/app"), folder.getParent());
        assertEquals("50000 100000", Files.readString(folder.resolve("cpu.max")));
        assertEquals("536870912", Files.readString(folder.resolve("memory.max")));
        Files.writeString(folder.resolve("cpu.stat"), "usage_usec 9\nthrottled_usec 250000\n");
        assertEquals(250, group.throttled().toMillis());
    }

    @Test
    void aGroupOfVersionOneStandsInTheHierarchyOfEachController() throws IOException {
        // a container, which sees its own group at the mount points
        write("proc/self/cgroup", "5:memory:/docker/a\n4:cpu,cpuacct:/docker/a\n0::/docker/a\n");
        write("sys/fs/cgroup/cpu/cgroup.procs", "1\n");
        write("sys/fs/cgroup/memory/cgroup.procs", "1\n");
        var command = String.join(" ", ControlGroup.make(root, 0.5, 512 << 20).command());
        var cpu = Path.of(command.replaceAll("(?s).*?'([^']*/cpu/[^']*)/cgroup.procs'.*", "$1"));
        assertEquals(root.resolve("sys/fs/cgroup/cpu"), cpu.getParent());
        assertEquals("50000", Files.readString(cpu.resolve("cpu.cfs_quota_us")));
        try (var groups = Files.walk(root.resolve("sys/fs/cgroup/memory"))) {
            assertTrue(groups.anyMatch(file -> file.endsWith("memory.limit_in_bytes")), command);
        }
    }

    @Test
    void aReasonIsGivenWhereNoGroupCanBeMade() throws IOException {
        secondVersion("pids\n");
        var none = assertThrows(IOException.class, () -> ControlGroup.make(root, 0.5, 0));
        assertEquals("this system does not have a control group for cpu", none.getMessage());
    }

    @Test
    void theNextChildRemovesTheGroupsOfAKilledKernel() throws IOException {
        secondVersion("cpu\n");
        var abandoned = Files.createDirectory(root.resolve("sys/fs/cgroup/user/app/threadlab-999999999-1"));
        ControlGroup.make(root, 0.5, 0);
        assertFalse(Files.exists(abandoned));
    }

    @Test
    void aLimitThatTheSystemRefusesIsNamedAndLeavesNoGroup() throws IOException {
        // the least that Linux accepts is 1 ms in each 100 ms
        var refused = assertThrows(IOException.class, () -> ControlGroup.make(Path.of("/"), 0.001, 0));
        assertTrue(
                !ChildJvm.canLimit() || refused.getMessage().startsWith("the system does not accept the limit 100"),
                refused.getMessage());
        assertNothingLeft();
    }

    private static void assertNothingLeft() throws IOException {
        try (var left = Files.walk(Path.of("/sys/fs/cgroup"), 4)) {
            var own = "threadlab-" + ProcessHandle.current().pid() + "-";
            assertFalse(left.anyMatch(path -> path.getFileName().toString().startsWith(own)), "a group is left");
        }
    }

    @Test
    void aFifthOfACpuCountsAsOneCpuAndIsThrottled() throws Exception {
        var file = root.resolve("Spin.java");
        Files.writeString(file, """
                class Spin {
                    public static void main(String[] args) {
                        var threads = java.lang.management.ManagementFactory.getThreadMXBean();
                        while (threads.getCurrentThreadCpuTime() < 300_000_000L) {
                            Thread.onSpinWait();
                        }
                        System.out.println("cpus,memory");
                        System.out.println(Runtime.getRuntime().availableProcessors() + ","
                                + (Runtime.getRuntime().maxMemory() >> 20));
                    }
                }
                """);
        var run = ChildJvm.of(Program.of(file.toString()))
                .quota(0.2)
                .memory("512m")
                .columns("cpus", "memory")
                .quiet()
                .run();
        assertTrue(run.ok(), run.explanation());
        assertEquals(1, run.table().intColumn("cpus").get(0));
        assertTrue(run.table().intColumn("memory").get(0) <= 512, run.table().print());
        // if no group can be made, the JVM still sees these sizes but is not throttled
        assertEquals(ChildJvm.canLimit(), run.throttled().isPositive(), "throttled for " + run.throttled());
        assertNothingLeft();
    }

    @Test
    void whatIsOutOfRangeIsRefused() {
        var child = ChildJvm.of(ControlGroupTest.class);
        assertThrows(IllegalArgumentException.class, () -> child.quota(0));
        assertThrows(IllegalArgumentException.class, () -> child.quota(1_000));
        assertThrows(IllegalArgumentException.class, () -> child.quota(Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> child.memory("much"));
        assertThrows(IllegalArgumentException.class, () -> child.memory("900000g"));
    }
}
