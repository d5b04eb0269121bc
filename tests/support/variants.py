"""A class whose submissions to 01's homework all differ, and what is wrong with each of them."""

import hashlib
import random
from copy import deepcopy
from pathlib import Path

import nbformat
from homeworks import cell
from notebooks.runs import numbered
from teach.homework import marks, pseudonyms

LESSON = numbered("01")
TOML = 'banks = ["teaching/exercises"]\n'
NAMES = ["gate", "door", "permits", "few", "places", "tickets", "room", "slots", "bound", "seat", "tokens"]
CALLS = ["call", "task", "work", "job", "it", "one", "c", "request", "todo"]
RIGHT = [
    """
var {gate} = new Semaphore({n});
limited = {call} -> () -> {{
    {gate}.acquire();
    try {{ return {call}.call(); }} finally {{ {gate}.release(); }}
}};""",
    """
Semaphore {gate} = new Semaphore({n}, true);
limited = {call} -> () -> {{
    {gate}.acquireUninterruptibly();
    try {{
        return {call}.call();
    }} finally {{
        {gate}.release();
    }}
}};""",
    """
var {gate} = new ArrayBlockingQueue<Integer>({n});
for (int i = 0; i < {n}; i++) {gate}.add(i);
limited = {call} -> () -> {{
    Integer mine = {gate}.take();
    try {{ {call}.call(); }} finally {{ {gate}.put(mine); }}
    return null;
}};""",
    """
var lock{gate} = new java.util.concurrent.locks.ReentrantLock();
var free{gate} = lock{gate}.newCondition();
int[] {gate} = {{{n}}};
limited = {call} -> () -> {{
    lock{gate}.lock();
    try {{ while ({gate}[0] == 0) free{gate}.await(); {gate}[0]--; }} finally {{ lock{gate}.unlock(); }}
    try {{ return {call}.call(); }}
    finally {{
        lock{gate}.lock();
        try {{ {gate}[0]++; free{gate}.signal(); }} finally {{ lock{gate}.unlock(); }}
    }}
}};""",
    """
class {Gate} {{
    int free = {n};
    synchronized void enter() throws InterruptedException {{ while (free == 0) wait(); free--; }}
    synchronized void leave() {{ free++; notify(); }}
}}
var {gate} = new {Gate}();
limited = {call} -> () -> {{
    {gate}.enter();
    try {{ return {call}.call(); }} finally {{ {gate}.leave(); }}
}};""",
    """
class {Gate} implements UnaryOperator<Callable<Void>> {{
    private final Semaphore inside = new Semaphore({n});
    @Override public Callable<Void> apply(Callable<Void> {call}) {{
        return () -> {{
            inside.acquire();
            try {{ return {call}.call(); }} finally {{ inside.release(); }}
        }};
    }}
}}
limited = new {Gate}();""",
]
WRONG = [
    """
limited = {call} -> {{
    var {gate} = new Semaphore({n});   // one for each call
    return () -> {{ {gate}.acquire(); try {{ return {call}.call(); }} finally {{ {gate}.release(); }} }};
}};""",
    """
var {gate} = new Semaphore(5);
limited = {call} -> () -> {{
    {gate}.acquire();
    try {{ return {call}.call(); }} finally {{ {gate}.release(); }}
}};""",
    """
limited = {call} -> {call};   // {gate}""",
    """
var {gate} = new Semaphore({n})
limited = {call} -> () -> {{ {gate}.acquire(); return {call}.call(); }};""",
]
ENDLESS = """
var {gate} = new Semaphore({n});
limited = {call} -> () -> {{ {gate}.acquire(); return {call}.call(); }};   // never released"""
RATES = [
    "inside = perSecond * (insideMs + longerMs) / 1e3;",
    "inside = perSecond * insideMs / 1_000.0 + perSecond * longerMs / 1_000.0;",
    "double {gate} = (insideMs + longerMs) / 1000.0;\ninside = {gate} * perSecond;",
    "inside = perSecond * longerMs / 1e3;   // only the partner",
    "inside = perSecond * (insideMs + longerMs);   // ms",
]
SETS = ['"A", "E"', '"E", "A"', '"A", "E"', '"A", "B", "E"', '"A", "C", "E"', '"A"']
PARTS = [
    "All {n} threads wait, so L is at its limit and λ is at most L ÷ W.",
    "Then more threads help, because the requests wait for something that can take more.",
    "It is wrong if connections are used up: W grows and λ stays the same.",
    "I would look at what most threads wait for.",
    "I would first count the connections that are in use.",
    "Virtual threads are cheaper, so use them instead of {n} platform threads.",
    "The CPUs are at 30 %, so they are no limit here.",
]


ALLOWED = [20, 16, 18, 22, 24, 26]  # as teaching/exercises has them


def allowed(seed: str, alias: str) -> int:
    """A learner's number, computed here and not by threadlab.homework.Variant."""
    found = hashlib.sha256(f"{seed}\n{alias}\nallowed".encode()).digest()[:4]
    return ALLOWED[int.from_bytes(found, signed=True) % len(ALLOWED)]


def hand_in(home: Path, count: int) -> dict[str, set[str]]:
    """Writes the list of a class and its submissions to the released homework; gives what each has wrong."""
    folder = home / "release" / LESSON.stem
    released = nbformat.read(folder / LESSON.name, 4)
    names = [f"learner{number:03}" for number in range(count)]
    (home / "class.csv").write_text("\n".join(["student", *names]), encoding="utf-8")
    aliases = marks.aliases(home, marks.people(home, {"students": [], "homework": {}}, home / "class.csv"))
    chance, texts, expected = random.Random(7), set(), {}
    for number, student in enumerate(names):
        alias, made = aliases[student], deepcopy(released)
        least = allowed(pseudonyms.seed(home), alias)
        expected[student] = answered(made, number, chance, alias, least)
        text = "\n".join(each.source for each in made.cells if each.id != "pseudonym")
        assert text not in texts, "all differ, and not only by the pseudonym"
        texts.add(text)
        place = home / "submitted" / student / LESSON.stem
        place.mkdir(parents=True)
        nbformat.write(made, place / LESSON.name)
    return expected


def answered(
    made: nbformat.NotebookNode, number: int, chance: random.Random, alias: str, own: int
) -> set[str]:
    """Writes one learner's answers; gives the checks that they do not pass."""
    gate, call = chance.choice(NAMES) + str(number), chance.choice(CALLS)
    n = chance.choice(["allowed", "allowed", "allowed", "allowed", "20"])
    java = chance.choice(RIGHT * 3 + WRONG) if number % 100 != 9 else ENDLESS
    rate, services = chance.choice(RATES), chance.choice(SETS)
    names = {"gate": gate, "Gate": gate.capitalize(), "call": call, "n": n}
    cell(made, "limited-stub").source += java.format(**names)
    cell(made, "switch-stub").source += f"\nfaster = Set.of({services});   // {number}"
    cell(made, "rate-stub").source += "\n" + rate.format(**names)
    parts = chance.sample(PARTS, 4)
    cell(made, "why-question-answer").source = " ".join(parts).format(n=200 + number)
    cell(made, "pseudonym").source = f'String pseudonym = "{alias}";'
    wrong = {"limited-check": java not in RIGHT or (n != "allowed" and own != int(n))}
    wrong |= {"rate-check": rate not in RATES[:3], "switch-check": sorted(services) != sorted(SETS[0])}
    return {check for check, holds in wrong.items() if holds}
