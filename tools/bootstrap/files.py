"""File helpers of the set-up. They need the standard library only."""

import csv
import hashlib
import io
import json
import os
import sys
import tarfile
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from typing import IO

WHOLE = "unpacked.txt"
BEING_SAVED = 5  # seconds, in which Jupyter has saved a notebook


def write(file: Path, content: "str | bytes", mode: int = 0o666) -> None:
    """Writes a file completely or not at all; an error names it."""
    fresh = file.with_name(file.name + ".new")
    try:
        fresh.unlink(missing_ok=True)
        fresh.touch(mode)
        fresh.write_bytes(content if isinstance(content, bytes) else content.encode())
        fresh.replace(file)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        error.filename = str(file)  # a full disk names none
        raise


def restore(folder: Path) -> None:
    """Puts back what Jupyter has written in part: what was there before is beside it, as .~NAME."""
    for kept in [*folder.glob(".~*.ipynb"), *(folder / "notebooks").rglob(".~*.ipynb")]:
        notebook = kept.with_name(kept.name.removeprefix(".~"))
        # a clock that was set back must not keep a file for hours
        being_saved = abs(time.time() - kept.stat().st_ctime) < BEING_SAVED
        if is_json(kept) and not is_json(notebook) and not being_saved:
            kept.replace(notebook)
            print(f"{notebook.name} was saved only in part, and is again as it was saved before.", flush=True)


def is_json(file: Path) -> bool:
    try:
        return bool(json.loads(file.read_bytes()))
    except (OSError, ValueError):
        return False


def write_rows(file: Path, rows: Iterable[Sequence[object]]) -> None:
    """Writes a CSV file, with the header as its first row."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    write(file, text.getvalue())


def writable(path: Path) -> bool:
    while not path.exists() and path != path.parent:
        path = path.parent
    return os.access(path, os.W_OK)


def digest(*parts: "str | Path") -> str:
    """A fingerprint of texts and of files with their names."""
    total = hashlib.sha256()
    for part in parts:
        for piece in (str(part).encode(), part.read_bytes() if isinstance(part, Path) else b""):
            total.update(b"%d:" % len(piece) + piece)
    return total.hexdigest()


def sha256(file: Path) -> str:
    with open(file, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


@contextmanager
def hold(file: Path, wait: Callable[[], None]) -> Iterator[IO[str]]:
    """Holds a lock on a file, which it gives; calls `wait` if another process has it. The system releases it
    when this process has ended, and whoever has inherited the file.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with open(file, "a") as held:
        waiting = False
        while True:
            try:
                if sys.platform == "win32":
                    import msvcrt

                    held.seek(0)
                    msvcrt.locking(held.fileno(), msvcrt.LK_NBLCK, 1)
                else:
                    import fcntl

                    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except (BlockingIOError, PermissionError):
                if not waiting:
                    wait()
                waiting = True
                time.sleep(0.2)
        yield held


def extract(packed: tarfile.TarFile, folder: Path) -> None:
    if hasattr(tarfile, "tar_filter"):
        packed.extractall(folder, filter="tar")
    else:  # Python 3.11.0 to 3.11.3, such as Debian 12's
        packed.extractall(folder)


def unpack(archive: Path, folder: Path) -> None:
    """Puts the content of an archive's only folder into `folder`, all of it or nothing."""
    fresh = folder.with_name(folder.name + ".new")
    rmtree(fresh, ignore_errors=True)
    try:
        if zipfile.is_zipfile(archive):
            with zipfile.ZipFile(archive) as packed:
                packed.extractall(fresh)
        else:
            with tarfile.open(archive) as packed:
                extract(packed, fresh)
        [top] = fresh.iterdir()
        (top / WHOLE).write_text(" ".join(map(str, extent(top))))
        rmtree(folder, ignore_errors=True)
        top.replace(folder)
    finally:
        rmtree(fresh, ignore_errors=True)


def extent(folder: Path) -> tuple[int, int]:
    """The number of files in a folder, without the one that keeps this count, and their total bytes."""
    files = [os.path.join(place, name) for place, _, names in os.walk(folder) for name in {*names} - {WHOLE}]
    return len(files), sum(os.lstat(file).st_size for file in files)


def whole(folder: Path) -> bool:
    """Whether nothing has been deleted from a folder since it was unpacked."""
    try:
        files, size = map(int, (folder / WHOLE).read_text().split())
    except (OSError, ValueError):
        return False
    now = extent(folder)
    return now[0] >= files and now[1] >= size
