package whatwaits.look;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import whatwaits.rules.Finding;
import whatwaits.rules.Requests;

class ReportTest {

    @Test
    void of_a_zip_an_eighth_of_the_heap_is_read_and_never_more_than_an_array_holds() {
        assertEquals(64 << 20, Evidence.most(512 << 20));
        assertEquals(Integer.MAX_VALUE / 2, Evidence.most(64L << 30));
    }

    @Test
    void a_look_that_saw_no_threads_names_no_limit_and_keeps_what_else_it_saw() {
        var why = "the threads: it has 30,000 platform threads, more than 20,000";
        var about = new Evidence.About(
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
                List.of(why));
        var report = Report.of(new Evidence(about, List.of(), List.of(), null, null, null));
        assertNull(report.verdict());
        assertEquals(List.of(why), report.missing());
        // 25.0.3 has one that 25.0.4 repairs
        assertEquals(Set.of(Finding.What.DEFECT), report.named());
    }
}
