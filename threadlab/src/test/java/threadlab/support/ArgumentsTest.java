package threadlab.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class ArgumentsTest {

    @Test
    void what_is_allowed_is_returned() {
        assertEquals(20_000, Arguments.inRange("clients", 20_000, 1, 20_000));
        assertEquals(Integer.MAX_VALUE, Arguments.inRange("trial", Integer.MAX_VALUE, 1, Integer.MAX_VALUE));
        assertEquals(0.05, Arguments.inRange("quota", 0.05, 0.05, 2, ""));
        assertEquals("virtual", Arguments.notBlank("virtual", "a server needs a name"));
    }

    @Test
    void the_message_names_the_value_and_what_is_allowed() {
        refused(
                "clients(20,001) is out of range: it must be from 1 to 20,000",
                () -> Arguments.inRange("clients", 20_001, 1, 20_000));
        refused(
                "cpus(0) is out of range: it must be from 1 to 2, the CPUs of this machine",
                () -> Arguments.inRange("cpus", 0, 1, 2, ", the CPUs of this machine"));
        refused(
                "quota(NaN) is out of range: it must be from 0.05 to 2",
                () -> Arguments.inRange("quota", Double.NaN, 0.05, 2, ""));
        refused(
                "during(0 s) is out of range: it must be from 0.001 s to 120 s",
                () -> Arguments.inRange("during", Duration.ZERO, Duration.ofMillis(1), Duration.ofSeconds(120)));
        refused("a server needs a name", () -> Arguments.notBlank(" ", "a server needs a name"));
    }

    private static void refused(String message, Executable call) {
        assertEquals(message, assertThrows(IllegalArgumentException.class, call).getMessage());
    }
}
