"""Random small edits, and a model that knows which value each variable must then have."""

import re
from collections.abc import Callable
from random import Random
from typing import NamedTuple

from typist import Interrupt, Typed

IMPORTS = [
    "java.util.zip.*",
    "java.text.*",
    "static java.lang.Math.max",
    "module java.sql",
    "java.util.jar.JarFile",
    "java.util.zip.CRC32",
]
COMMENTS = ["", "// c\n", "/* c */ ", "\n\n", "/** c\n */\n", "// 😀\r\n"]
WRONG = ["int lost = nosuch;", '"tea".lenght()', "for (int i = 0;", "}", "package shop;", "nosuch();"]
THROWING = ['throw new IllegalStateException("no");', "int[] none = {}; none[1]++;", 'throw new Error("no")']
SHOWN = {
    "(new int[] {41, 42})": "42",
    "(Object) null": "null",
    "List.of(43, 44)": "[43, 44]",
    "Map.of(1, 2)": "{1=2}",
}
MAGIC = ["%libraries none", "%nosuch", "%%nosuch\n5"]
DEFAULTS = {"null", "0", "false"}


class Variable(NamedTuple):
    text: str
    kind: str  # int, or something else
    of: frozenset[str] = frozenset()  # what its initializer names


class Step(NamedTuple):
    source: str
    shows: str = ""  # a pattern
    resets: frozenset[str] = frozenset()  # variables that this may reset, if it says so
    fails: bool = False  # so nothing of the cell runs after it
    interrupted: bool = False

    def typed(self) -> list[Typed]:
        return [self.source, Interrupt(0.15)] if self.interrupted else [self.source]


class Edits:
    """What somebody types who has variables, types, methods and a lambda; a seed has names of its own."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.names = [f"{name}{seed}" for name in ("cup", "tea", "pot", "jar", "lid")]
        self.type, self.price, self.pay = f"Order{seed}", f"price{seed}", f"pay{seed}"
        self.user, self.keeper = f"Desk{seed}", f"keeper{seed}"
        self.sub, self.family, self.member = f"Rush{seed}", f"Ware{seed}", f"Cup{seed}"
        self.form = ""  # of the type: class, record, enum or interface
        self.variables: dict[str, Variable] = {}
        self.texts: dict[str, Callable[[], str]] = {}  # what type and methods that are declared make
        self.read = ""  # the variable that the methods read
        often = [
            self.literal,
            self.derived,
            self.changed,
            self.declared,
            self.thing,
            self.method,
            self.imported,
        ]
        at_times = [self.computed, self.called, self.shown, self.failed, self.wrong, self.magic]
        at_times += [self.using, self.used, self.kept, self.refused, self.extending, self.extended]
        at_times += [self.sealed, self.permitted, self.chosen, self.maker]
        self.kinds = often * 6 + at_times * 3 + [self.throwing, self.block] * 2 + [self.interrupted]

    def step(self) -> Step:
        """One cell: an edit, or several of which only the last fails."""
        step = self.edit()
        # a method that reads a variable which has just been reset returns another text than before
        while not step.fails and self.read not in step.resets and self.random.random() < 0.25:
            if (then := self.edit()).interrupted:
                break  # the interrupt could come before what stands above
            between = "" if step.source[-1] in ";}\n" else ";"
            between += self.random.choice(["\n", "\r\n", " ", "\n// c\n"])
            step = then._replace(source=step.source + between + then.source, resets=step.resets | then.resets)
        return step

    def edit(self) -> Step:
        while True:
            if step := self.random.choice(self.kinds)():
                return step

    def digit(self) -> int:
        return self.random.randint(1, 9)

    def name(self) -> str:
        return self.random.choice(self.names)

    def one(self, *kinds: str) -> str | None:
        """A variable that there is, of one of these kinds or of any."""
        found = [name for name, variable in self.variables.items() if not kinds or variable.kind in kinds]
        return self.random.choice(found) if found else None

    def made_of(self, *names: str) -> frozenset[str]:
        return frozenset(name for name, variable in self.variables.items() if variable.of & set(names))

    def comment(self) -> str:
        return self.random.choice(COMMENTS)

    # --- edits that declare ---

    def literal(self) -> Step:
        n, name = self.digit(), self.name()
        kind, value, text = self.random.choice([
            ("int", f"{n}", f"{n}"), ("String", f'"t{n}"', f"t{n}"), ("boolean", "true", "true"),
            ("var", f"new ArrayList<>(List.of({n}))", f"[{n}]"), ("double", f"{n}.5", f"{n}.5"),
            ("Object", f"List.of({n})", f"[{n}]"),
        ])  # fmt: skip
        resets = self.made_of(name)  # a var of it may get another type, too
        self.variables[name] = Variable(text, "list" if kind == "var" else kind)
        return Step(f"{self.comment()}{kind} {name} = {value};", resets=resets)

    def derived(self) -> Step | None:
        of, name = self.one("int"), self.name()
        if not of or of == name:
            return None
        self.variables[name] = Variable(str(int(self.variables[of].text) + 1), "int", frozenset([of]))
        return Step(f"var {name} = {of} + 1;")

    def changed(self) -> Step | None:
        """Assigned, not declared again: a reset would be seen even if the initializer ran once more."""
        of = self.one("int", "list")
        if not of:
            return None
        kind, text = self.variables[of].kind, self.variables[of].text
        text = str(int(text) + 3) if kind == "int" else text[:-1] + ", 4]"
        self.variables[of] = self.variables[of]._replace(text=text)
        return Step(f"{self.comment()}{of} += 3;" if kind == "int" else f"{of}.add(4);")

    def declared(self) -> Step:
        n, name = self.digit(), self.type
        to_string = f'public String toString() {{ return "o{n}"; }}'
        forms = [
            f"class {name} {{ static {name} of() {{ return new {name}(); }} {to_string} }}",
            f"record {name}(int n) {{ static {name} of() {{ return new {name}({n}); }} {to_string} }}",
            f"enum {name} {{ A, B; static {name} of() {{ return A; }} {to_string} }}",
            f"interface {name} {{\n  static {name} of() {{ return new {name}() {{ {to_string} }}; }}\n}}",
        ]
        source = self.random.choice(forms)
        self.form = source.split()[0]
        self.texts[name] = lambda: f"o{n}"
        return Step(self.comment() + source, resets=self.made_of(name))

    def thing(self) -> Step | None:
        name = self.name()
        if self.type not in self.texts:
            return None
        text, of = self.texts[self.type](), f"{self.type}.of()"
        listed = self.random.random() < 0.3
        self.variables[name] = Variable(f"[{text}]" if listed else text, "thing", frozenset([self.type]))
        return Step(f"var {name} = List.of({of});" if listed else f"{self.type} {name} = {of};")

    def method(self) -> Step:
        n, of = self.digit(), self.one()
        # a lambda's own text is another each time
        of = of if of and self.variables[of].kind != "maker" else None
        kind, value, text = self.random.choice([
            ("int", f"n + {n}", lambda: str(2 + n)),
            ("String", f'"p" + (n + {n})', lambda: f"p{2 + n}"),
            *([("String", f'n + "" + {of}', lambda: f"2{self.variables[of].text}")] if of else []),
        ])  # fmt: skip
        self.read = of if of and of in value else ""
        source = f"{kind} {self.price}(int n) {{ return {value}; }}"
        self.texts[self.price] = text
        if self.random.random() < 0.5:
            source += f'\nString {self.pay}(int n) {{ return {self.price}(n) + "!"; }}'
            self.texts[self.pay] = lambda: self.texts[self.price]() + "!"
        return Step(self.comment() + source, resets=self.made_of(self.price, self.pay))

    def computed(self) -> Step | None:
        name = self.name()
        method = self.random.choice([self.price, self.pay])
        if method not in self.texts or name == self.read:
            return None
        self.variables[name] = Variable(self.texts[method](), "any", frozenset([self.price, method]))
        return Step(f"var {name} = {method}(2);")

    def block(self) -> Step:
        name, n = self.name(), self.digit()
        self.variables[name] = Variable(f"{n}%d|%libraries servers|%n", "String")
        return Step(f'var {name} = """\n{n}%d\n%libraries servers\n%n""".replace("\\n", "|");')

    # --- edits that change no variable ---

    def using(self) -> Step | None:
        """A type that another cell's type names; either may change."""
        if self.type not in self.texts:
            return None
        self.texts[self.user] = lambda: self.texts[self.type]()
        n = self.digit()
        return Step(f"class {self.user} {{ int n = {n}; Object of() {{ return {self.type}.of(); }} }}")

    def used(self) -> Step | None:
        of = f"new {self.user}().of()"
        return Step(of, shows=re.escape(self.texts[self.user]())) if self.user in self.texts else None

    def refused(self) -> Step | None:
        """A new version of a type that does not compile: the one before stays, made anew."""
        name = self.random.choice([self.type, self.user, self.sub, self.member])
        if name not in self.texts and name != self.sub:
            return None
        kinds = [f'class {name} {{ int n = "x"; }}', f"record {name}(int n) {{ int m; }}"]
        kinds += [
            f"enum {name} {{ A, A }}",
            f"interface {name} {{ int n; }}",
            f"final class {name} extends {name} {{}}",
        ]
        return Step(self.random.choice(kinds), shows="«error»", resets=self.made_of(name), fails=True)

    def extending(self) -> Step | None:
        """A subclass in another cell: it can be used while the type is a class."""
        if self.form != "class":
            return None
        self.texts[self.sub] = lambda: self.texts[self.type]() + "+"
        more = 'String more() { return this + "+"; }'
        return Step(f"{self.comment()}class {self.sub} extends {self.type} {{ {more} }}")

    def extended(self) -> Step | None:
        if self.sub not in self.texts:
            return None
        use = f"new {self.sub}().more()"
        if self.form != "class":
            return Step(use, shows=f"«error»[\\s\\S]*{self.sub} cannot be used", fails=True)
        return Step(use, shows=re.escape(self.texts[self.sub]()))

    def sealed(self) -> Step:
        """A sealed family, and a method of another snippet that knows its members."""
        name, n = self.member, self.digit()
        self.texts[name] = lambda: f"{n}"
        source = f"sealed interface {self.family} permits {name}, {name}B {{}}\n"
        source += f"record {name}(int n) implements {self.family} {{}}\n"
        source += f"record {name}B(String b) implements {self.family} {{}}\n"
        source += f"int choose{name}({self.family} w) {{ return switch (w) {{ "
        source += f"case {name} c -> {n}; case {name}B b -> -1; }}; }}"
        return Step(source)

    def permitted(self) -> Step | None:
        """One of the family changes."""
        if self.member not in self.texts:
            return None
        more = self.random.choice(["", ", int m", ", String... s"])
        return Step(f"{self.comment()}record {self.member}B(String b{more}) implements {self.family} {{}}")

    def chosen(self) -> Step | None:
        if self.member not in self.texts:
            return None
        use = f"choose{self.member}(new {self.member}(1))"
        return Step(use, shows=f"{re.escape(self.texts[self.member]())}$")

    def maker(self) -> Step | None:
        """A lambda that makes a thing."""
        name = self.name()
        if self.type not in self.texts:
            return None
        self.variables[name] = Variable("Supplier, a lambda", "maker", frozenset([self.type]))
        source = f"Supplier<Object> {name} = () -> {self.type}.of();"
        return Step(f"{source}\n{name}.get()", shows=re.escape(self.texts[self.type]()))

    def kept(self) -> Step | None:
        of = self.one()
        if not of:
            return None
        source = f"Supplier<Object> {self.keeper} = () -> {of};\n{self.keeper}.get()"
        return Step(source, shows=re.escape(self.variables[of].text))

    def imported(self) -> Step:
        imports = [
            f"{self.comment()}import {self.random.choice(IMPORTS)};"
            for _ in range(self.random.choice([1, 1, 2]))
        ]
        return Step(self.random.choice(["\n", " "]).join(imports) + self.random.choice(["", " // c"]) + "\n")

    def called(self) -> Step | None:
        method = self.random.choice([self.price, self.pay])
        return Step(f"{method}(2)", shows=re.escape(self.texts[method]())) if method in self.texts else None

    def shown(self) -> Step:
        source, text = self.random.choice(list(SHOWN.items()))
        return Step(source, shows=re.escape(text))

    def wrong(self) -> Step:
        own = f"boolean {self.name()} = 5;"
        return Step(self.random.choice([*WRONG, own]), shows="«error»", fails=True)

    def throwing(self) -> Step:
        return Step(self.random.choice(THROWING), shows="«error»", fails=True)

    def magic(self) -> Step:
        return Step(self.random.choice(MAGIC), shows="«error»", fails=True)

    def interrupted(self) -> Step:
        return Step("Thread.sleep(60_000);", shows="«error»", fails=True, interrupted=True)

    def failed(self) -> Step:
        name = self.name()
        kind, value, text = self.random.choice(
            [
                ("int", 'Integer.parseInt("x")', "0"),
                ("String", 'List.of("a").get(3)', "null"),
                ("var", "1 / 0 > 2", "false"),
            ]
        )
        self.variables[name] = Variable(text, kind)
        return Step(f"{kind} {name} = {value};", shows=rf"\b{name} is {text},? because", fails=True)

    # --- what must hold ---

    def look(self) -> str:
        """The next cell, which must answer."""
        return f"Arrays.asList({', '.join(['1 + 1', *self.variables])})"

    def expected(self) -> str:
        return f"[{', '.join(['2', *(variable.text for variable in self.variables.values())])}]"

    def accept(self, step: Step, page: str, value: Callable[[str], str]) -> list[str]:
        """The variables that are not as they must be; takes over what the page says of the others."""
        changed = []
        for name, variable in list(self.variables.items()):
            text = value(name)
            said = re.search(rf"\b{name}\b[\w, ]* (was|were) reset because", page)
            if text == variable.text and not said:
                continue
            if said and name in step.resets and text in DEFAULTS:
                self.variables[name] = Variable(text, "reset")
            else:
                changed.append(f"{name} is {text}, not {variable.text}{', as it says' if said else ''}")
        return changed
