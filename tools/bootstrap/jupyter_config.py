"""Gives kernels the options for one CPU where the JVM sees one, by affinity, a quota or a pod's limit.

The set-up copies this file into the environment's etc/jupyter, where every program of Jupyter reads it as it
starts: JupyterLab, in the image and on a hub too, and what executes a notebook.
"""

import json
import os
import subprocess
from pathlib import Path

share = Path(__file__).resolve().parents[2] / "share"
one_cpu = str(share / "threadlab/one-cpu")
known = [path for path in os.environ.get("JUPYTER_PATH", "").split(os.pathsep) if path]
if one_cpu not in known:
    java = json.loads((share / "jupyter/kernels/java/kernel.json").read_text(encoding="utf-8"))["argv"][0]
    asked = subprocess.run([java, "-Xlog:gc+init", "-version"], capture_output=True, text=True)
    if " total, 1 available" in asked.stdout:
        os.environ["JUPYTER_PATH"] = os.pathsep.join([one_cpu, *known])
