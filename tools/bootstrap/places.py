"""Paths in this clone, and the home folder."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / "tools"
BUILD = ROOT / "build"
LOG = BUILD / "setup.log"
MAVEN_LOG = BUILD / "maven.log"  # of what runs beside pip
BUNDLE = ROOT / "bundle"  # what make bundle packed, if this folder was unpacked from a bundle
FIRST = "notebooks/00-start-here.ipynb"
WINDOWS = os.name == "nt"
HOME = Path(os.path.expanduser("~"))
