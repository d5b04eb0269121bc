"""Child JVMs as a notebook starts them: limited, and gone with cell and kernel. Takes half a minute."""

import os
import re
import shutil
import subprocess
import tempfile
from functools import partial
from pathlib import Path

import psutil
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from cells import Kernel, run, value
from notebooks.runs import process_of, until

ENDLESS = """
public class Endless {
    public static void main(String[] args) throws Exception {
        new ProcessBuilder("sleep", "700000").start();
        Thread.sleep(700_000);
    }
}
"""
# names that no other run on this machine uses
NAME, SLEEP = f"Endless{os.getpid()}", f"{700_000 + os.getpid()}"
THREADS = """
import threadlab.child.ChildJvm;
public class Threads {
    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            System.out.println(ChildJvm.of("Threads.java").arguments("child").threads(150).quiet().run());
            return;
        }
        while (true) Thread.ofPlatform().daemon().start(java.util.concurrent.locks.LockSupport::park);
    }
}
"""
HALF = """
public class Half {
    public static void main(String[] args) { System.out.println("half\\n%.1f".formatted(0.5)); }
}
"""


def endless() -> list[psutil.Process]:
    """The running processes of the endless child: its guard and what its program has started."""
    words = (f"threadlab.child.Guard {NAME}", f"sleep {SLEEP}")
    found = psutil.process_iter(["cmdline"])
    return [one for one in found if " ".join(one.info["cmdline"] or []).endswith(words)]


def control_groups(maker: int) -> list[Path]:
    """The control groups, of version 1 or 2, that a kernel has made for its children."""
    return [folder for folder in Path("/sys/fs/cgroup").rglob(f"threadlab-{maker}-*") if folder.is_dir()]


def gone(folder: Path) -> bool:
    return not folder.exists()


def empty(files: list[Path]) -> bool:
    return not any(file.read_text() for file in files)


@pytest.mark.parametrize("ends", [["interrupt", "kill"], ["restart"]], ids="-".join)
def test_no_child_outlives_its_cell_or_its_kernel_nor_fills_a_control_group(
    kernel: Kernel, tmp_path: Path, ends: list[str]
) -> None:
    """If no group can be made, the child still runs, and a line says that it is not limited."""
    manager, client = kernel
    _, said = run(client, "System.out.println(ChildJvm.canLimit())")
    told = "".join(message.get("text", "") for message in said).splitlines()
    limited = told == ["true"]
    assert limited or (told[0].startswith("No control group can be created here: ") and told[1:] == ["false"])
    pid, program = process_of(manager), tmp_path / f"{NAME}.java"
    program.write_text(ENDLESS.replace("Endless", NAME).replace('"700000"', f'"{SLEEP}"'))
    for end in ends:
        client.execute(f'ChildJvm.of("{program}").quota(0.5).memory("256m").run()')
        until("the child runs", lambda: len(endless()) == 2, 60)
        assert bool(control_groups(pid)) == limited
        [folder] = (tmp_path / "temporary").glob("threadlab-[0-9]*-*")  # with its classes
        {
            "interrupt": manager.interrupt_kernel,
            "restart": lambda: manager.signal_kernel(9),  # as Jupyter does, with all processes of its group
            "kill": lambda: os.kill(pid, 9),  # as the system does when memory runs out
        }[end]()
        until("the child has ended", lambda: not endless(), 60)
        until("its folder is gone", partial(gone, folder), 60)
        # of a killed kernel they are empty, and the next child removes them
        groups = control_groups(pid)
        assert end != "interrupt" or not groups
        inside = [group / "cgroup.procs" for group in groups]
        until("they are empty", partial(empty, inside), 60)
        if end == "interrupt":
            # a cell asked for before the interrupted one has answered is aborted, as in Run All
            assert client.get_shell_msg(timeout=60)["content"]["status"] == "error"
            assert value(client, "1 + 1") == "2"


@pytest.fixture
def german(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that writes a decimal comma."""
    monkeypatch.setenv("JAVA_TOOL_OPTIONS", "-Duser.language=de -Duser.country=DE")


def test_numbers_are_the_course_s_and_a_program_shows_its_source(
    german: None, kernel: Kernel, tmp_path: Path
) -> None:
    _, client = kernel
    (tmp_path / "Half.java").write_text(HALF)
    assert value(client, 'Locale.getDefault() + " %,.1f".formatted(1234.5)') == "en_US 1,234.5"
    child = f'ChildJvm.of("{tmp_path / "Half.java"}").columns("half").quiet()'
    assert value(client, f'{child}.run().table().doubleColumn("half").get(0)') == "0.5"
    _, published = run(client, f'Program.of("{tmp_path / "Half.java"}")')
    shown = next(m["data"]["text/markdown"] for m in published if m["type"] == "execute_result")
    assert "```java\n" in shown and f"]({tmp_path / 'Half.java'})" in shown


@pytest.mark.skipif(not shutil.which("prlimit"), reason="this system has no prlimit")
def test_an_ordinary_user_s_child_meets_its_limit_on_threads() -> None:
    """Root's limits work differently; the library's own tests check them when they run as root."""
    spec = KernelSpecManager().get_kernel_spec("java")
    user = ["setpriv", "--reuid=60999", "--regid=60999", "--clear-groups"] if os.getuid() == 0 else []
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)  # for that user
        jars = [shutil.copy(jar, folder) for jar in spec.argv[spec.argv.index("-cp") + 1].split(os.pathsep)]
        Path(folder, "Threads.java").write_text(THREADS)
        command = [*user, spec.argv[0], "-cp", os.pathsep.join(jars), "Threads.java"]
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert "could not start another native thread" in run.stdout, run.stdout + run.stderr
    # the limit counts all threads of the user: 150 for the child, and those of the JVM that started it
    met = re.search(r"of this user: ([\d,]+) of ([\d,]+) \(prlimit --nproc\)", run.stdout)
    used, most = (int(number.replace(",", "")) for number in met.groups())
    assert 150 < most < 400 and most - 16 <= used <= most
