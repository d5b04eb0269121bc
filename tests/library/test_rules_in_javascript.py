"""The rules of whatwaits as JavaScript: in Node they answer as on the JVM. Takes ten seconds."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from bootstrap.files import check_artefacts
from bootstrap.places import BUILD, ROOT
from bootstrap.threadlab_build import maven

THREADS = 2_000
HOME = ROOT / "tests/teavm"
BUILT = BUILD / "teavm"
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


def told(*command: object, given: Path | None = None) -> str:
    """What a program prints to standard output; it must end well."""
    data = given.read_bytes() if given else b""
    return subprocess.run(command, cwd=ROOT, input=data, stdout=subprocess.PIPE, check=True).stdout.decode()


def test_the_rules_answer_in_node_as_on_the_jvm(tmp_path: Path) -> None:
    if not (node := shutil.which("node")):
        pytest.skip("no Node.js, which runs the rules as JavaScript (Debian: apt install nodejs)")
    shutil.rmtree(BUILT, ignore_errors=True)
    resolved = BUILT / "resolved.txt"
    goals = ["process-classes", "dependency:list", "-DoutputAbsoluteArtifactFilename=true"]
    build = [*maven("tests/teavm/pom.xml"), "--quiet", *goals, f"-DoutputFile={resolved}"]
    subprocess.run(build, cwd=ROOT, check=True)
    check_artefacts(resolved, HOME / "maven.sha256")

    (program := tmp_path / "Many.java").write_text(MANY.replace("THREADS", str(THREADS)), encoding="utf-8")
    dump = tmp_path / "dump.json"
    java = Path(os.environ["JAVA_HOME"], "bin/java")
    told(java, program, dump)
    assert dump.stat().st_size > 1_000_000

    [gson] = re.findall(r"\S*gson-[\d.]+\.jar", resolved.read_text(encoding="utf-8"))
    path = f"{BUILT / 'classes'}{os.pathsep}{gson}"
    on_the_jvm = told(java, "-cp", path, "whatwaits.javascript.Main", given=dump)
    assert told(node, HOME / "read.mjs", dump) == on_the_jvm
    for waiting in (len(range(0, THREADS, 3)), THREADS - len(range(0, THREADS, 3))):
        assert f"{waiting:,} virtual wait" in on_the_jvm, on_the_jvm
