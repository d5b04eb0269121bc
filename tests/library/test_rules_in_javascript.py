"""What the pages of the site compute as JavaScript: in Node the rules and the model answer as on the JVM.

Takes 25 seconds.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from bootstrap.places import ROOT
from publish import browser

THREADS = 2_000
HOME = ROOT / "site/java"
CORPUS = [*ROOT.glob("whatwaits/src/test/resources/**/*.json"), *ROOT.glob("site/samples/*.[jt]*[nt]")]
MANY = """
import com.sun.management.HotSpotDiagnosticMXBean;
import com.sun.management.HotSpotDiagnosticMXBean.ThreadDumpFormat;
import java.lang.management.ManagementFactory;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.*;

public class Many {
    public static void main(String[] args) throws Exception {
        var lock = new ReentrantLock();
        var never = new CountDownLatch(1);
        lock.lock();
        for (int i = 0; i < THREADS; i++) {
            var thread = Thread.ofVirtual().name("dünn-" + i).start(i % 3 == 0 ? lock::lock : () -> {
                try {
                    never.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            });
            while (thread.getState() != Thread.State.WAITING) Thread.onSpinWait();
        }
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .dumpThreads(args[0], ThreadDumpFormat.JSON);
        System.exit(0);
    }
}
"""
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(
    not NODE, reason="no Node.js, which runs JavaScript (Debian: apt install nodejs)"
)


def told(*command: object) -> str:
    """What a program prints to standard output; it must end well."""
    return subprocess.run([*map(str, command)], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout.decode()


def on_the_jvm(program: str, *arguments: object) -> str:
    """What the same Java prints as it is."""
    built = browser.compiled()
    path = os.pathsep.join(map(str, [built / "classes", *(built / "dependency").glob("*.jar")]))
    return told(Path(os.environ["JAVA_HOME"], "bin/java"), "-cp", path, program, *arguments)


def test_of_every_dump_the_page_says_what_the_rules_say(tmp_path: Path) -> None:
    (program := tmp_path / "Many.java").write_text(MANY.replace("THREADS", str(THREADS)), encoding="utf-8")
    many = tmp_path / "dump.json"
    told(Path(os.environ["JAVA_HOME"], "bin/java"), program, many)
    assert many.stat().st_size > 1_000_000
    (cut := tmp_path / "cut.json").write_text(many.read_text(encoding="utf-8")[:100_000], encoding="utf-8")
    circles = ROOT / "whatwaits/src/test/resources/whatwaits/rules/circles"
    alone = circles / "upgrade-alone.json"
    # the time is what tells it from a copy
    again = (circles / "upgrade-alone-2.json").read_text(encoding="utf-8")
    timed = again.replace('{"runtimeVersion"', '{"time": "2026-11-20T09:14:13.5Z", "runtimeVersion"')
    (later := tmp_path / "later.json").write_text(timed, encoding="utf-8")
    both = f"{alone},{later}"
    (forms := tmp_path / "forms").mkdir()
    told(Path(os.environ["JAVA_HOME"], "bin/java"), "whatwaits/dumps/Forms.java", forms)
    together = ",".join(map(str, sorted(forms.glob("locks-[ap]*[nt]"))))
    (other := tmp_path / "other.txt").write_text("[0.005s][info][gc] Using G1\n", encoding="utf-8")
    files = [*sorted(CORPUS), *sorted(forms.iterdir()), many, cut, other, together, alone, both]
    assert len(files) > 100
    said = on_the_jvm("site.Dump", *files)
    assert told(NODE, HOME / "read.cjs", browser.compiled(), *files) == said
    for waiting in (len(range(0, THREADS, 3)), THREADS - len(range(0, THREADS, 3))):
        assert f"{waiting:,} virtual wait" in said
    one, with_later = [line for line in said.splitlines() if line.startswith('{"jvms"')][-2:]
    assert '"circles":[]' in one
    assert '"circles":[{"proven":false' in with_later, "two dumps show it"
    assert said.count('"error"') == 1, "only the log of the collector is none"


def test_the_same_seed_gives_the_same_numbers_in_the_model() -> None:
    script = f"console.log(require('{browser.compiled() / 'model.js'}').everything().trim())"
    said = on_the_jvm("site.Model").strip()
    assert len(said.splitlines()) > 80
    assert told(NODE, "--eval", script).strip() == said
