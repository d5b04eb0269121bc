package threadlab.child;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class NativeLimitsTest {

    private static final NativeLimits.Use FAR =
            new NativeLimits.Use("threads of the system", 500, 100_000, "/proc/sys/kernel/threads-max");
    private static final NativeLimits.Use NEAR =
            new NativeLimits.Use("native threads of the child", 140, 150, "prlimit --nproc");
    private static final NativeLimits.Use NEAR_BY_SHARE =
            new NativeLimits.Use("memory mappings", 64_000, 65_530, "/proc/sys/vm/max_map_count");

    @Test
    void the_limit_that_was_met_is_named_with_its_use_and_source() {
        assertEquals(
                "the limit it met is on native threads of the child: 140 of 150 (prlimit --nproc)",
                NativeLimits.met(List.of(FAR, NEAR)));
    }

    @Test
    void several_limits_are_told_the_fullest_first() {
        assertEquals(
                "it was at several limits at the same time: memory mappings: 64,000 of 65,530"
                        + " (/proc/sys/vm/max_map_count); native threads of the child: 140 of 150 (prlimit --nproc)",
                NativeLimits.met(List.of(NEAR, FAR, NEAR_BY_SHARE)));
    }

    @Test
    void without_a_limit_near_it_was_memory() {
        assertEquals(
                "no readable limit on threads was near, so the system refused memory", NativeLimits.met(List.of(FAR)));
        assertEquals(
                "no readable limit on threads was near, so the system refused memory, or this"
                        + " system does not report its limits",
                NativeLimits.met(List.of()));
    }
}
