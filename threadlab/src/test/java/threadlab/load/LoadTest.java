package threadlab.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static threadlab.Expect.refused;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import threadlab.measure.Kind;

/** What a load asks for, and what it refuses. */
class LoadTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    @Test
    void the_arrivals_of_an_open_loop_are_those_of_its_trial() {
        var load = Load.on("http://127.0.0.1:1/").rate(400).trial(2).requests(1);
        assertEquals(400, load.plan().rate());
        assertEquals(2, load.plan().seed());
    }

    @Test
    void a_url_that_is_not_of_this_machine_is_refused() {
        var sentences = new String[][] {
            {"http://192.0.2.7/", "192.0.2.7 is not a loopback address"},
            {"http://0.0.0.0:8080/", "0.0.0.0 is not a loopback address"},
            {"http://10.0.0.1:8080/", "10.0.0.1 is not a loopback address"},
            {"http://[2001:db8::1]:8080/", "is not a loopback address"},
            {"http://no-such-host.invalid/", "the host no-such-host.invalid is unknown"},
            {"ftp://127.0.0.1/", "does not begin with http://"},
            {"127.0.0.1:8080/orders", "is not a URL"},
            {"localhost:8080/orders", "does not begin with http://"},
            {"http://127.0.0.1:80 80/", "is not a URL"},
            {"http://127.0.0.1:99999/", "a port from 1 to 65,535"},
            {"http:///orders", "does not name a host"},
            {"http://me@127.0.0.1/", "does not name a host"},
            {"http://127.0.0.1@192.0.2.7/", "does not name a host"},
            {"", "does not begin with http://"},
        };
        for (String[] sentence : sentences) {
            refused(sentence[1], () -> Load.on(sentence[0]));
        }
    }

    @Test
    void settings_out_of_range_are_refused_with_the_range() {
        var load = Load.on("http://127.0.0.1:1/");
        refused("clients(0) is out of range: it must be from 1 to 20,000", () -> load.clients(0));
        refused("clients(20,001) is out of range", () -> load.clients(20_001));
        refused("rate(0) is out of range: it must be from 1 to 20,000", () -> load.rate(0));
        refused("requests(0) is out of range: it must be from 1 to 1,000,000", () -> load.requests(0));
        refused("warmUp(-1) is out of range: it must be from 0 to", () -> load.warmUp(-1));
        refused("during(0 s) is out of range: it must be from 0.001 s to 120 s", () -> load.during(Duration.ZERO));
        refused("during(121 s) is out of range", () -> load.during(Duration.ofSeconds(121)));
        refused(
                "timeOut(61 s) is out of range: it must be from 0.001 s to 60 s",
                () -> load.timeOut(Duration.ofSeconds(61)));
        refused("there is no process 999999999", () -> load.serverProcess(999_999_999));
        refused("a contender or a server needs a name", () -> load.server(" "));
        refused("a contender or a server needs a name", () -> load.server(Kind.VIRTUAL, ""));
        assertThrows(NullPointerException.class, () -> load.server((Kind) null));
        refused("needs clients(n)", load::run);
        refused("needs an end: set requests(n) or during(time)", load.clients(5)::run);
        refused("requests(4) are too few for clients(5)", load.requests(4)::run);
        refused("either requests(n) or during(time), not both", load.during(SECOND)::run);
        refused("either clients(n), for a closed loop, or rate(n)", load.rate(5)::run);
        var closed = Load.on("http://127.0.0.1:1/").clients(1).requests(1).rampUp(SECOND);
        refused("a load with rampUp(time) ends after a time", closed::run);
        var open = Load.on("http://127.0.0.1:1/").rate(1).requests(1).rampUp(SECOND);
        refused("rampUp(time) is for a closed loop", open::run);
    }
}
