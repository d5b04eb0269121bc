"""Names for learners that stay the same, and that only the holder of the folder's key can assign.

The last character is a check digit, as threadlab.homework.Variant verifies it: a learner's numbers follow
from the pseudonym, and a mistyped one would be somebody else's.
"""

import base64
import hashlib
import hmac
import secrets
import sys
from pathlib import Path

from bootstrap.files import write

DIGITS = "abcdefghijklmnopqrstuvwxyz234567"
CELL = "pseudonym"  # the cell of a homework into which a learner writes it
LENGTH = 64  # of the key
NOBODY = "aaaaaaaa"  # valid, and of no learner: for whoever is not on the class list


def pseudonym(root: Path, student: str) -> str:
    found = base64.b32encode(hmac.digest(key(root), student.encode(), hashlib.sha256)).decode()[:7].lower()
    return found + DIGITS[sum((2 * i + 1) * DIGITS.index(char) for i, char in enumerate(found)) % 32]


def seed(root: Path) -> str:
    """The name of the class, from which its numbers follow: it tells nothing about the key."""
    return hmac.digest(key(root), b"the numbers of this class", hashlib.sha256).hex()[:8]


def key(root: Path) -> bytes:
    file = root / "pseudonyms.key"
    if not file.exists():
        write(file, secrets.token_hex(LENGTH // 2), mode=0o600)
    if len(found := file.read_bytes()) < LENGTH:  # anybody could compute what follows from an empty one
        has = f"has {len(found)} characters of {LENGTH}"
        sys.exit(f"{file} {has}: put back a copy, or delete it if nobody has a pseudonym yet.")
    return found
