"""Clients of Jupyter that are fetched once, beside the same environment."""

import subprocess
import sys

from bootstrap.places import BUILD, ROOT


def clients() -> dict[str, str]:
    """What lets Python find them."""
    home = BUILD / "clients"
    if not home.exists():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", f"--target={home}"]
        subprocess.run([*pip, "-r", ROOT / "requirements/clients.txt"], check=True)
    return {"PYTHONPATH": str(home), "JUPYTER_PATH": str(home / "share/jupyter")}
