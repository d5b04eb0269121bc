package threadlab.cases;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.EnumSet;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import threadlab.claim.Check;

/** The parts that need no server; tests/notebooks/test_diagnosis.py finds the faults of running shops. */
@Tag("deep")
class HiddenCaseTest {

    @Test
    void every_fault_has_a_case_of_its_own() {
        var faults = IntStream.rangeClosed(1, 10).mapToObj(Cases::fault).collect(Collectors.toSet());
        if (Shelf.canBeSlow()) {
            assertEquals(EnumSet.allOf(Fault.class), faults);
        }
        assertEquals(Fault.NATIVE_FRAME, Cases.fault(1), "the case that the notebook walks");
    }

    @Test
    void the_same_fault_costs_something_else_each_time() {
        var random = new Random(1);
        var costs = IntStream.range(0, 100)
                .mapToDouble(i -> new Scenario(Fault.HOT_LOCK, random).figure)
                .summaryStatistics();
        assertTrue(costs.getMax() > 2.5 * costs.getMin(), costs::toString);
    }

    @Test
    void a_case_that_has_not_run_is_not_judged() throws InterruptedException {
        var shop = HiddenCase.seed(1);
        var open = shop.check(new Answer(Fault.NATIVE_FRAME, "Shop.java:1", Check.OPEN, Repair.NONE));
        assertEquals(Check.State.OPEN, open.state());
        var early = shop.check(new Answer(Fault.NATIVE_FRAME, "Shop.java:1", 100, Repair.NONE));
        assertEquals(Check.State.WRONG, early.state());
        assertTrue(early.text().contains("has not run"), early.text());
    }

    @Test
    void nobody_orders_in_a_shop_that_does_not_run() {
        var shop = HiddenCase.seed(1);
        var thrown = assertThrows(IllegalStateException.class, shop::awaitOrders);
        assertTrue(thrown.getMessage().contains("start it with start()"), thrown.getMessage());
    }

    @Test
    void what_customers_say_names_no_cause() {
        for (int seed = 1; seed <= 10; seed++) {
            assertNotEquals("", HiddenCase.seed(seed).complaint());
        }
    }
}
