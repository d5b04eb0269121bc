"""Child JVMs as a notebook starts them: on two Java versions, and gone whatever happens to the kernel."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import start_new_kernel

from cells import run, value

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
VERSION = """
public class Version {
    public static void main(String[] args) {
        System.out.println("version\\n" + Runtime.version().feature());
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

POD = """
import threadlab.child.ChildJvm;
public class Pod {
    public static void main(String[] args) throws Exception {
        if (args.length == 0) {
            var child = ChildJvm.of("Pod.java").arguments("child").quota(0.5).memory("512m");
            child.columns("CPUs", "heap").run();
            return;
        }
        System.out.println("CPUs,heap");
        var here = Runtime.getRuntime();
        System.out.println(here.availableProcessors() + "," + (here.maxMemory() >> 20));
    }
}
"""


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    for source in (ENDLESS, VERSION):
        name = source.split("class ")[1].split()[0]
        (tmp_path / f"{name}.java").write_text(source)
    return tmp_path


def processes(word: str) -> list[int]:
    """The processes whose command line holds a word."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
        except OSError:
            continue
        if word in command:
            found.append(int(folder.name))
    return found


def child_folders(temporary: Path) -> set[Path]:
    """Where the classes of running children are."""
    return set(temporary.glob("threadlab-[0-9]*-*"))


def wait_until(condition, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def test_one_program_runs_on_java_21_and_on_the_kernel_s_own(kernel, programs: Path) -> None:
    _, client = kernel
    child = f'ChildJvm.of("{programs / "Version.java"}").columns("version").quiet()'
    assert value(client, f'{child}.java(21).run().table().intColumn("version").get(0)') == "21"
    own = value(client, "Runtime.version().feature()")
    assert value(client, f'{child}.run().table().intColumn("version").get(0)') == own
    assert value(client, f'{child}.java({own}).run().table().intColumn("version").get(0)') == own


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


def test_a_program_shows_its_source_in_colours_and_a_link_to_edit_it(kernel, programs: Path) -> None:
    _, client = kernel
    _, published = run(client, f'Program.of("{programs / "Version.java"}")')
    shown = next(m["data"]["text/markdown"] for m in published if m["type"] == "execute_result")
    assert "```java\n" in shown and "public class Version" in shown
    assert f"]({programs / 'Version.java'})" in shown


def test_a_program_that_does_not_compile_says_where(kernel, tmp_path: Path) -> None:
    _, client = kernel
    (tmp_path / "Wrong.java").write_text("class Wrong {\n    int x = true;\n}\n")
    reply, published = run(client, f'ChildJvm.of("{tmp_path / "Wrong.java"}").run()')
    assert reply["status"] == "error"
    shown = "\n".join(line for m in published if m["type"] == "error" for line in m["traceback"])
    assert "Wrong.java:2: error" in shown and "int x = true;" in shown


def test_an_interrupted_cell_ends_its_child_and_the_kernel_goes_on(kernel, programs: Path) -> None:
    manager, client = kernel
    client.execute(f'ChildJvm.of("{programs / "Endless.java"}").run()')
    assert wait_until(lambda: processes("threadlab.child.Guard Endless") and processes("sleep 700"), 30)
    manager.interrupt_kernel()
    assert wait_until(lambda: not processes("threadlab.child.Guard Endless"), 10)
    assert wait_until(lambda: not processes("sleep 700"), 5)
    assert value(client, "1 + 1") == "2"


@pytest.mark.parametrize("whom", ["process", "group"])
def test_a_kernel_that_is_killed_leaves_no_child(kernel, programs: Path, whom: str) -> None:
    manager, client = kernel
    client.execute(f'ChildJvm.of("{programs / "Endless.java"}").run()')
    assert wait_until(lambda: processes("threadlab.child.Guard Endless") and processes("sleep 700"), 30)
    [folder] = child_folders(programs / "temporary")
    if whom == "group":
        manager.signal_kernel(9)  # as Jupyter does
    else:
        os.kill(manager.provisioner.pid, 9)  # as the system does when memory runs out
    assert wait_until(lambda: not processes("threadlab.child.Guard Endless"), 10)
    assert wait_until(lambda: not processes("sleep 700"), 5)
    # a child that was killed with its kernel had no time to tidy up
    assert whom == "group" or not folder.exists()


def control_groups(maker: int) -> list[Path]:
    """Those that a kernel has made for its children, in control groups of version 1 or 2."""
    return [folder for folder in GROUPS.rglob(f"threadlab-{maker}-*") if folder.is_dir()]


@pytest.mark.parametrize("end", ["interrupt", "restart", "kill"])
def test_no_control_group_outlives_its_kernel(kernel, programs: Path, end: str) -> None:
    """Where none can be made, the child runs all the same, and a line says that it is not limited."""
    manager, client = kernel
    _, said = run(client, "System.out.println(ChildJvm.canLimit())")
    told = "".join(message.get("text", "") for message in said).splitlines()
    limited = told == ["true"]
    assert limited or (told[0].startswith("No control group can be made here: ") and told[1:] == ["false"])
    pid = manager.provisioner.pid
    client.execute(f'ChildJvm.of("{programs / "Endless.java"}").quota(0.5).memory("256m").run()')
    assert wait_until(lambda: processes("threadlab.child.Guard Endless") and processes("sleep 700"), 30)
    assert bool(control_groups(pid)) == limited
    if end == "interrupt":
        manager.interrupt_kernel()
    elif end == "restart":
        manager.signal_kernel(9)  # as Jupyter does, with all processes of the kernel's group
    else:
        os.kill(pid, 9)  # as the system does when memory runs out
    assert wait_until(lambda: not processes("threadlab.child.Guard Endless"), 10)
    assert wait_until(lambda: not control_groups(pid), 15)


def test_javas_that_a_reader_names_run_and_what_is_none_is_said(tmp_path: Path) -> None:
    if os.name == "nt":
        pytest.skip("the kernel's environment is written for POSIX here")
    spec = KernelSpecManager().get_kernel_spec("java")
    java21 = spec.env["THREADLAB_JAVA_FOUND"].split(os.pathsep)[0]
    jars = spec.argv[spec.argv.index("-cp") + 1]
    (tmp_path / "Version.java").write_text(VERSION)
    (tmp_path / "Ask.java").write_text(
        "public class Ask { public static void main(String[] args) throws Exception {"
        " System.out.println(threadlab.child.ChildJvm.javas());"
        ' threadlab.child.ChildJvm.of("Version.java").java(21).run(); } }'
    )
    old = tmp_path / "old"
    (old / "bin").mkdir(parents=True)
    (old / "bin/java").touch()
    (old / "release").write_text('JAVA_VERSION="17.0.9"\n')
    own = Path(spec.argv[0]).parent.parent

    def ask(**variables: str) -> subprocess.CompletedProcess[str]:
        env = {name: text for name, text in os.environ.items() if not name.startswith("THREADLAB_JAVA")}
        command = [spec.argv[0], "-cp", jars, "Ask.java"]
        return subprocess.run(command, cwd=tmp_path, env=env | variables, capture_output=True, text=True)

    without = ask()
    assert "there is no Java 21 here" in without.stderr and "tools/setup.py" in without.stderr, without.stderr
    named = os.pathsep.join(["/nowhere", str(old), str(tmp_path), java21, str(own)])
    said = ask(THREADLAB_JAVA=named)
    assert said.stderr == ""
    assert said.stdout.splitlines()[:4] == [
        "THREADLAB_JAVA names /nowhere, which is no folder: it is left out.",
        f"THREADLAB_JAVA names {old}, which is Java 17, and virtual threads need Java 21 or newer:"
        " it is left out.",
        f"THREADLAB_JAVA names {tmp_path}, which is no Java, for it has no bin/java: it is left out.",
        f"[21, {own_version(own)}]",
    ]
    assert said.stdout.splitlines()[4:] == ["version", "21"]


def own_version(home: Path) -> str:
    return re.search(r'JAVA_VERSION="(\d+)', (home / "release").read_text())[1]


@contextmanager
def ordinary_user(source: str) -> Iterator[Callable[[], subprocess.CompletedProcess[str]]]:
    """Runs a program that uses the library as a user who is not root, in a folder that this user can read."""
    spec = KernelSpecManager().get_kernel_spec("java")
    folder = Path("/tmp") / f"threadlab-user-{os.getpid()}"
    program = folder / f"{re.search('class ([A-Z][a-z]+)', source)[1]}.java"
    try:
        folder.mkdir(mode=0o755)
        jars = []
        for jar in spec.argv[spec.argv.index("-cp") + 1].split(os.pathsep):
            jars.append(shutil.copy(jar, folder))
        program.write_text(source)
        user = ["setpriv", "--reuid=60999", "--regid=60999", "--clear-groups"] if os.getuid() == 0 else []
        command = [*user, spec.argv[0], "-cp", os.pathsep.join(jars), program.name]
        yield lambda: subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.skipif(not shutil.which("prlimit"), reason="this system has no prlimit")
def test_an_ordinary_user_s_child_meets_its_limit_on_threads() -> None:
    """Root's limits work in another way, which the library's own tests try when they run as root."""
    with ordinary_user(THREADS) as ask:
        run = ask()
    assert "could not start another native thread" in run.stdout, run.stdout + run.stderr
    # the limit counts all threads of the user: 150 for the child, and those of the JVM that started it
    met = re.search(r"of this user: ([\d,]+) of ([\d,]+) \(prlimit --nproc\)", run.stdout)
    assert met, run.stdout
    used, most = (int(number.replace(",", "")) for number in met.groups())
    assert 150 < most < 400 and most - 16 <= used <= most


def test_a_user_who_may_make_no_control_group_is_told_so_once_and_the_child_runs() -> None:
    with ordinary_user(POD) as ask:
        said, columns, row = ask().stdout.splitlines()
    reason = "this (user may not make|system has no) (a )?control groups?( for cpu)?"
    assert re.fullmatch(f"No control group limits this child: {reason}\\. .* as a whole number\\.", said), (
        said
    )
    cpus, heap = map(int, row.split(","))
    assert (columns, cpus) == ("CPUs,heap", 1) and 100 < heap <= 128
