"""The kernel with the library of servers: Shift-Tab, servers in JVMs of their own. Takes twenty seconds."""

from jupyter_client.blocking import BlockingKernelClient
from cells import Kernel, run

# What a cell may hold before the cursor; the emoji is one character for the page and two for Java.
ABOVE = """%libraries servers
import java.net.http.*;
int twice(int n) { return 2 * n; }
var smile = "😀";
var inThisCell = Trials.of("n");
"""
IN_A_METHOD = """void wait(int n) {
    for (int i = 0; i < n; i++) {
        Thread.sleep(|Duration.ofMillis(10));
    }
}
wait(3);"""

# The code at the cursor | and what is shown about it: in the signatures and in the text.
TRIALS = ("Trials<T extends Trial>.of(String experiment)", "An experiment that times its")
DOCUMENTED = [
    ("Trials.of(|", *TRIALS),
    ('Trials.of("n wor|kers")', *TRIALS),
    ("Claim.that(|", "Prediction Claim.that(String statement, double measured)", "a claim about one number"),
    (ABOVE + "inThisCell.sizes|(1, 2);\nint last = 1;", "Trial>.sizes(int... n)", "from 1 to 10,000,000"),
    (IN_A_METHOD, "void Thread.sleep(Duration duration)", "Causes the currently executing thread"),
]


def shown(client: BlockingKernelClient, cell: str) -> dict:
    """What Shift-Tab shows, in each format."""
    before, _, after = cell.partition("|")
    reply = client.inspect(before + after, len(before), reply=True, timeout=60)["content"]
    assert reply["status"] == "ok", reply
    assert reply["found"] == bool(reply["data"])
    return reply["data"]


def test_shift_tab_shows_signature_and_text_wherever_the_cursor_stands(kernel: Kernel) -> None:
    _, client = kernel
    assert "A stated prediction" in shown(client, "Claim|")["text/plain"], "before any cell has run"
    reply, _ = run(client, '%libraries servers\nvar early = Trials.of("n");')
    assert reply["status"] == "ok", reply
    for cell, signature, text in DOCUMENTED:
        forms = shown(client, cell)
        plain, html = forms["text/plain"], forms["text/html"]
        assert signature in plain.partition("\n\n")[0], (cell, plain)
        assert text in plain.replace("\n", " "), (cell, plain)
        for tag in ("{@", "@param", "@return", "@throws"):
            assert tag not in plain and tag not in html, (cell, html)
        assert "<p>" not in plain and html.startswith("<pre>"), (cell, html)
    for nothing in ("|", " | ", "int a = 1;\n|\nint b = 2;", "nobody.knows(|", "// a word| here"):
        assert not shown(client, nothing), nothing


def test_a_server_in_a_jvm_of_its_own_begins_with_what_the_set_up_has_learnt(kernel: Kernel) -> None:
    """With -XX:AOTMode=on its JVM refuses to start if it cannot use the cache. Takes five seconds."""
    _, client = kernel
    assert run(client, "%libraries servers")[0]["status"] == "ok"
    assert run(client, "import org.springframework.web.bind.annotation.*;")[0]["status"] == "ok"
    assert run(client, "@RestController class Empty {}")[0]["status"] == "ok"
    for collector in ("G1", "Serial"):
        options = f'"-XX:AOTMode=on", "-XX:+Use{collector}GC"'
        reply, _ = run(client, f'LocalServer.of("learnt", Empty.class).startChild({options}).close();')
        assert reply["status"] == "ok", reply
