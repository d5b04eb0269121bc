"""What a kernel with a temporary folder of its own leaves on the machine: processes, ports, files."""

import json
from contextlib import suppress
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import psutil
from notebooks.runs import Session


def dumped(session: Session, folder: Path) -> list[dict[str, Any]]:
    """The threads of either kind in a kernel, as a dump has them."""
    dump = folder / "threads.json"
    bean = "com.sun.management.HotSpotDiagnosticMXBean"
    diagnostic = f"java.lang.management.ManagementFactory.getPlatformMXBean({bean}.class)"
    session.run(f'{diagnostic}.dumpThreads("{dump}", {bean}.ThreadDumpFormat.JSON);')
    containers = json.loads(dump.read_text())["threadDump"]["threadContainers"]
    dump.unlink()
    return [thread for container in containers for thread in container["threads"]]


class Left:
    """Looks around a kernel; what existed when this was made does not count."""

    def __init__(self, pid: int, folder: Path) -> None:
        self.pid, self.folder = pid, folder
        self.at_first = self.listening()

    def listening(self) -> set[int]:
        """The ports on which the kernel's process listens."""
        sockets = psutil.Process(self.pid).net_connections("tcp")
        return {s.laddr.port for s in sockets if s.status == psutil.CONN_LISTEN}

    def elsewhere(self) -> list[str]:
        """The addresses, other than this machine's own, at which the kernel and what it started listen."""
        kernel = psutil.Process(self.pid)
        found = []
        for process in [kernel, *kernel.children(recursive=True)]:
            with suppress(psutil.Error):
                sockets = process.net_connections("inet")
                found += [s.laddr.ip for s in sockets if s.status == psutil.CONN_LISTEN]
        return [ip for ip in found if not ip_address(ip.removeprefix("::ffff:")).is_loopback]

    def ports(self) -> set[int]:
        """The ports on which it did not listen at first."""
        return self.listening() - self.at_first

    def processes(self) -> list[str]:
        """What the kernel started, and processes that work in its folder or were given its path."""
        found, own = [], set()
        with suppress(psutil.NoSuchProcess):
            own = {child.pid for child in psutil.Process(self.pid).children(recursive=True)}
        for process in psutil.process_iter():
            try:
                command, cwd = " ".join(process.cmdline()), process.cwd()
                ended = process.status() == psutil.STATUS_ZOMBIE
            except psutil.Error:
                continue  # it has ended
            told = process.pid in own or str(self.folder) in command or str(self.folder) in cwd
            if told and not ended and process.pid != self.pid:
                found.append(f"{process.pid} {command}")
        return found

    def files(self) -> list[str]:
        """The files except those that make the next start faster, and one deleted with the kernel."""
        files = (path.relative_to(self.folder) for path in self.folder.rglob("*") if path.is_file())
        kept = ("PG-", "lock", "detect_linux_distribution")
        return [str(f) for f in files if not any(part.startswith(kept) for part in f.parts)]
