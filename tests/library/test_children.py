"""Child JVMs as a notebook starts them: on two Java versions, and gone whatever happens to the kernel."""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import psutil
import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import start_new_kernel
from cells import run, value
from notebooks.runs import until

pytestmark = pytest.mark.deep

GROUPS = Path("/sys/fs/cgroup")
ENDLESS = """
public class Endless {
    public static void main(String[] args) throws Exception {
        new ProcessBuilder("sleep", "700").start();
        System.out.println("running");
        Thread.sleep(700_000);
    }
}
"""
THREADS = """
import threadlab.child.ChildJvm;
public class Threads {
    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            System.out.println(ChildJvm.of("Threads.java").arguments("child").threads(150).quiet().run());
            return;
        }
        while (true) Thread.ofPlatform().daemon().start(() -> {
            try { Thread.sleep(60_000); } catch (InterruptedException e) { }
        });
    }
}
"""


def endless() -> list[psutil.Process]:
    """The running processes of the endless child: its guard and what its program has started."""
    words = ("threadlab.child.Guard Endless", "sleep 700")
    found = psutil.process_iter(["cmdline"])
    return [one for one in found if " ".join(one.info["cmdline"] or []).endswith(words)]


def control_groups(maker: int) -> list[Path]:
    """The control groups, of version 1 or 2, that a kernel has made for its children."""
    return [folder for folder in GROUPS.rglob(f"threadlab-{maker}-*") if folder.is_dir()]


@pytest.mark.parametrize("end", ["interrupt", "restart", "kill"])
def test_no_child_and_no_control_group_outlives_its_cell_or_its_kernel(
    kernel, tmp_path: Path, end: str
) -> None:
    """If no group can be made, the child still runs, and a line says that it is not limited."""
    manager, client = kernel
    _, said = run(client, "System.out.println(ChildJvm.canLimit())")
    told = "".join(message.get("text", "") for message in said).splitlines()
    limited = told == ["true"]
    assert limited or (told[0].startswith("No control group can be created here: ") and told[1:] == ["false"])
    pid = manager.provisioner.pid
    (tmp_path / "Endless.java").write_text(ENDLESS)
    client.execute(f'ChildJvm.of("{tmp_path / "Endless.java"}").quota(0.5).memory("256m").run()')
    until("the child runs", lambda: len(endless()) == 2, 30)
    assert bool(control_groups(pid)) == limited
    [folder] = (tmp_path / "temporary").glob("threadlab-[0-9]*-*")  # with its classes
    if end == "interrupt":
        manager.interrupt_kernel()
    elif end == "restart":
        manager.signal_kernel(9)  # as Jupyter does, with all processes of the kernel's group
    else:
        os.kill(pid, 9)  # as the system does when memory runs out
    until("the child has ended", lambda: not endless(), 10)
    until("its control groups are gone", lambda: not control_groups(pid), 15)
    # a child killed with its kernel had no time to clean up
    assert end == "restart" or not folder.exists()
    assert end != "interrupt" or value(client, "1 + 1") == "2"


def test_numbers_are_the_course_s_on_a_system_that_writes_a_decimal_comma(tmp_path: Path) -> None:
    (tmp_path / "Half.java").write_text(
        "public class Half { public static void main(String[] a) {"
        ' System.out.println("half\\n" + "%.1f".formatted(0.5)); } }'
    )
    german = os.environ | {"JAVA_TOOL_OPTIONS": "-Duser.language=de -Duser.country=DE"}
    manager, client = start_new_kernel(kernel_name="java", startup_timeout=60, env=german)
    try:
        assert value(client, 'Locale.getDefault() + " %,.1f".formatted(1234.5)') == "de_DE 1,234.5"
        child = f'ChildJvm.of("{tmp_path / "Half.java"}").columns("half").quiet()'
        assert value(client, f'{child}.run().table().doubleColumn("half").get(0)') == "0.5"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_a_program_shows_its_source_in_colours_and_a_link_to_edit_it(kernel, tmp_path: Path) -> None:
    _, client = kernel
    (tmp_path / "Endless.java").write_text(ENDLESS)
    _, published = run(client, f'Program.of("{tmp_path / "Endless.java"}")')
    shown = next(m["data"]["text/markdown"] for m in published if m["type"] == "execute_result")
    assert "```java\n" in shown and "public class Endless" in shown
    assert f"]({tmp_path / 'Endless.java'})" in shown


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
        run = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    assert "could not start another native thread" in run.stdout, run.stdout + run.stderr
    # the limit counts all threads of the user: 150 for the child, and those of the JVM that started it
    met = re.search(r"of this user: ([\d,]+) of ([\d,]+) \(prlimit --nproc\)", run.stdout)
    assert met, run.stdout
    used, most = (int(number.replace(",", "")) for number in met.groups())
    assert 150 < most < 400 and most - 16 <= used <= most
