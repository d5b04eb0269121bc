"""Gives kernels the options for a small machine, if the JVM sees one CPU or learners share a machine.

The set-up copies this file into the environment's etc/jupyter, where every program of Jupyter reads it as it
starts: JupyterLab, also in the image and on a hub, and programs that execute a notebook. The JVM sees one CPU
by affinity, a quota or a pod's limit; on a hub THREADLAB_SCALE is small, since learners share its machines.
"""

import json
import os
import subprocess
from contextlib import suppress
from pathlib import Path

share = Path(__file__).resolve().parents[2] / "share"
known = [path for path in os.environ.get("JUPYTER_PATH", "").split(os.pathsep) if path]


def small() -> str:
    if os.environ.get("THREADLAB_SCALE") == "small":
        return "shared"
    # If the JDK is gone, Jupyter still starts; the set-up then finds another one.
    with suppress(OSError):
        kernel = json.loads((share / "jupyter/kernels/java/kernel.json").read_text(encoding="utf-8"))
        ask = [kernel["argv"][0], "-Xlog:gc+init", "-version"]
        if " total, 1 available" in subprocess.run(ask, capture_output=True, text=True).stdout:
            return "one-cpu"
    return ""


if not any(Path(path).is_relative_to(share / "threadlab") for path in known) and (name := small()):
    os.environ["JUPYTER_PATH"] = os.pathsep.join([str(share / "threadlab" / name), *known])
