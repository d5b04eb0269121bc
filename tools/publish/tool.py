"""Builds build/whatwaits.jar, the command in one jar with all that it needs: make tool"""

import re
import shutil
import sys
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bootstrap.environment import java_env
from bootstrap.jdk import Computer, find_jdk
from bootstrap.places import BUILD, ROOT
from bootstrap.steps import run
from bootstrap.threadlab_build import PACKAGE, maven

JAR = BUILD / "whatwaits.jar"
MODULE = ROOT / "whatwaits"
LIBRARIES = MODULE / "target/lib"  # what the command needs at run time
WHEN = (2026, 1, 1, 0, 0, 0)  # as in the POM: the same sources give the same jar
# the JDK's method for commands of jcmd, which whatwaits calls on other systems than Linux, is not public
MANIFEST = """Manifest-Version: 1.0
Main-Class: whatwaits.command.Main
Add-Exports: jdk.attach/sun.tools.attach

"""
# signatures, build files and module descriptions of single libraries, and the sources for notebooks
LEFT_OUT = re.compile(
    r"META-INF/(MANIFEST\.MF|maven/|sources/|proguard/|native-image/|versions/9/module-info\.class)|module-info\.class|.*/$"
)


def pack(jars: list[Path]) -> None:
    """Puts the contents of jars into one, the module's first; where several have a name, the first counts."""
    notice = "".join(f"{jar.name}\n" for jar in jars[1:])
    content = {
        "META-INF/MANIFEST.MF": MANIFEST.encode(),
        "META-INF/LICENSE": (ROOT / "LICENSE").read_bytes(),
        "META-INF/NOTICE": f"Includes, under the same licence, Apache-2.0:\n{notice}".encode(),
    }
    for jar in jars:
        with zipfile.ZipFile(jar) as part:
            for name in part.namelist():
                if name not in content and not LEFT_OUT.match(name):
                    content[name] = part.read(name)
    JAR.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(JAR, "w") as whole:
        for name, data in content.items():
            whole.writestr(zipfile.ZipInfo(name, WHEN), data, zipfile.ZIP_DEFLATED)


def main() -> None:
    shutil.rmtree(LIBRARIES, ignore_errors=True)
    copied = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={LIBRARIES}"]
    command = [*maven(), *PACKAGE, *copied, "--projects=whatwaits"]
    run(command, "Maven could not build whatwaits", java_env(find_jdk(Computer())))
    pack([MODULE / "target/whatwaits.jar", *sorted(LIBRARIES.glob("*.jar"))])
    name = JAR.relative_to(ROOT)
    print(f"{name} ({JAR.stat().st_size / 1e6:.1f} MB): java -jar {name} --help")


if __name__ == "__main__":
    main()
