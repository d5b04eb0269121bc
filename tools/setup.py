"""The course's entry point: python3 tools/setup.py --help lists its commands. The work is in bootstrap/."""

import shutil
import subprocess
import sys

# Before any syntax or module that an older Python does not know.
if sys.version_info < (3, 11):
    for name in ("python3.13", "python3.12", "python3.11"):
        newer = shutil.which(name)
        # A version manager may put a name on the PATH that it refuses to run.
        check = [newer, "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
        if newer and subprocess.call(check, stderr=subprocess.DEVNULL) == 0:
            sys.exit(subprocess.call([newer, *sys.argv]))
    sys.exit(
        "This course needs Python 3.11 or newer, and this is %s in %s: install a newer one or call"
        " tools/setup.py with it." % (sys.version.split()[0], sys.executable)
    )

from bootstrap.launch import launch

if __name__ == "__main__":
    launch()
