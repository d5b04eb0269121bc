package whatwaits.look;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.AccessDeniedException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import whatwaits.rules.Finding;
import whatwaits.rules.Requests;
import whatwaits.rules.Sample;

class ReportTest {

    /** By the exception, since root may read all. */
    @Test
    void a_file_that_must_not_be_read_says_who_may() {
        var denied = Evidence.problem(new AccessDeniedException("locked.txt"));
        assertTrue(denied.startsWith("access denied: run this as a user who may read it"), denied);
    }

    @Test
    void of_a_zip_an_eighth_of_the_heap_is_read_and_never_more_than_an_array_holds() {
        assertEquals(64 << 20, Evidence.most(512 << 20));
        assertEquals(Integer.MAX_VALUE / 2, Evidence.most(64L << 30));
    }

    private static Evidence.About about(List<String> missing) {
        return new Evidence.About(
                "process 7",
                7L,
                "Shop",
                "25.0.3",
                "2026-11-27T20:58:57Z",
                5,
                2,
                0.5,
                null,
                Requests.unknown("nobody counted the requests"),
                List.of(),
                List.of("HikariCP-7.0.2.jar"),
                List.of(),
                List.of(),
                List.of(),
                missing);
    }

    /** What {@code jcmd} prints of two threads of a pool, of which both or one wait for a future, and of another thread. */
    private static String print(int waiting, String other) {
        var text =
                new StringBuilder("2026-11-30 09:01:29\nFull thread dump OpenJDK 64-Bit Server VM (25.0.3+9-LTS mixed"
                        + " mode, sharing):\n\n" + other);
        for (int id = 1; id <= 2; id++) {
            text.append(
                    """
                    "orders-%d" #%d [%d] prio=5 os_prio=0 cpu=3.28ms elapsed=15.95s tid=0x00007fa8c00e3290 nid=7 waiting on condition
                       java.lang.Thread.State: WAITING (parking)
                    \tat jdk.internal.misc.Unsafe.park(java.base@25.0.3/Native Method)
                    \t- parking to wait for  <0x000000069dc0044%d> (a java.util.concurrent.CompletableFuture$Signaller)
                    \tat java.util.concurrent.%s(java.base@25.0.3/Own.java:2138)
                    \tat shop.Orders.place(Orders.java:35)
                    \tat java.util.concurrent.CompletableFuture$AsyncSupply.run(java.base@25.0.3/CompletableFuture.java:1789)
                    \tat java.util.concurrent.ThreadPoolExecutor.runWorker(java.base@25.0.3/ThreadPoolExecutor.java:1090)

                    """.formatted(id, 20 + id, id, id, id <= waiting ? "CompletableFuture.join" : "Semaphore.acquire"));
        }
        return text.toString();
    }

    private static int circles(String... prints) {
        var sample = new Sample(0, 9, 0, 0, 2, 2, 0.005, Map.of(), Map.of());
        var seen = new Evidence(about(List.of()), List.of(sample), List.of(prints), null, null, null);
        return Report.of(seen).verdict().dump().circles().size();
    }

    @Test
    void the_last_print_confirms_a_circle_unless_a_thread_has_moved_or_virtual_ones_are_hidden() {
        var stands = print(2, "");
        assertEquals(1, circles(stands, stands, stands));
        assertEquals(0, circles(stands, stands, print(1, "")), "one has gone on");
        assertEquals(0, circles(stands), "nobody looked again");
        var carrier = "\"ForkJoinPool-1-worker-1\" #9 [9] daemon prio=5 os_prio=0 cpu=1.00ms elapsed=9.00s"
                + " tid=0x00007fa8c00e3291 nid=9 waiting on condition\n   java.lang.Thread.State: WAITING (parking)\n\n";
        var virtual = print(2, carrier);
        assertEquals(0, circles(virtual, virtual, virtual), "a virtual thread may complete it");
    }

    @Test
    void a_look_that_saw_no_threads_names_no_limit_and_keeps_what_else_it_saw() {
        var why = "the threads: it has 30,000 platform threads, more than 20,000";
        var about = about(List.of(why));
        var report = Report.of(new Evidence(about, List.of(), List.of(), null, null, null));
        assertNull(report.verdict());
        assertEquals(List.of(why), report.missing());
        // 25.0.3 has one that 25.0.4 repairs
        assertEquals(Set.of(Finding.What.DEFECT), report.named());
    }
}
