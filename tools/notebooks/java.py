"""Reads the Java of a cell with a parser: what it declares, assigns and calls, and uses from other cells.

A cell need not be whole: the parser finds what it can in one that does not compile.
"""

import re
import time
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import tree_sitter_java
from tree_sitter import Language, Node, Parser, Tree

SECONDS = 2  # of CPU time, to read a cell
PARSER = Parser(Language(tree_sitter_java.language()))
TEXTS = ("string_literal", "character_literal", "line_comment", "block_comment")
TYPES: tuple[str, ...] = ("class_declaration", "record_declaration", "interface_declaration")
TYPES += ("enum_declaration", "annotation_type_declaration")
# what has a variable's name in its field `name`
VARIABLES: tuple[str, ...] = ("variable_declarator", "formal_parameter", "catch_formal_parameter")
VARIABLES += ("resource", "enhanced_for_statement", "instanceof_expression")
# what ends with a variable's name, or has nothing but names
PATTERNS, NAMES = ("type_pattern", "record_pattern_component"), ("inferred_parameters",)
PACKAGES = ("import_declaration", "scoped_identifier")  # a name in them is no variable


@lru_cache(maxsize=2_000)
def parsed(java: str) -> Tree:
    # the parser counts bytes: with one for each character, its places are those in the text
    plain = re.sub(r"[^\x00-\x7f]", "x", java)
    plain = re.sub(r"^%.*", lambda magic: " " * len(magic[0]), plain, flags=re.MULTILINE)
    # JShell takes a last expression without a semicolon
    text, end = f"{plain}\n;".encode(), time.thread_time() + SECONDS
    try:
        return PARSER.parse(
            lambda at, _: text[at : at + 100_000],
            progress_callback=lambda *_: time.thread_time() > end,
        )
    except ValueError:  # what takes so long was not written to be Java
        PARSER.reset()
        return PARSER.parse(b"}")


def nodes(java: str, *kinds: str) -> Iterator[Node]:
    """All nodes of these kinds, in the order of the text."""
    # no recursion: a learner's brackets may be nested as deep as a cell is long
    waiting = [parsed(java).root_node]
    while waiting:
        node = waiting.pop()
        if node.type in kinds:
            yield node
        waiting += reversed(node.children)


def of(java: str, node: Node) -> str:
    return java[node.start_byte : node.end_byte]


def part(node: Node, field: str) -> Node:
    """A part that the grammar gives each node of its kind, in broken code, too."""
    found = node.child_by_field_name(field)
    if found is None:
        raise LookupError(f"a {node.type} without {field}")
    return found


def skipped(java: str) -> Iterator[str]:
    """The strings, characters and comments."""
    return (of(java, node) for node in nodes(java, *TEXTS))


def strings(java: str) -> list[str]:
    """What stands between the quotes of each string."""
    return [re.sub(r'^("""\s*\n?|")|("""|")$', "", of(java, node)) for node in nodes(java, "string_literal")]


def said(java: str) -> str:
    """The text of strings that are joined by +."""
    return "".join(strings(java))


def blank(java: str) -> str:
    """The source with blanked strings and comments, so that their braces and words do not count."""
    plain = list(java)
    for node in nodes(java, *TEXTS):
        plain[node.start_byte : node.end_byte] = re.sub(r"[^\n]", " ", of(java, node))
    return "".join(plain)


def choices(java: str) -> list[str]:
    """The parts of an expression that may be its value: of a ? b : c, both."""
    first = parsed(java).root_node.children[0]
    each = first.named_children[0] if first.type == "expression_statement" else first
    if each.type != "ternary_expression":
        return [java]
    both = (of(java, part(each, name)) for name in ("consequence", "alternative"))
    return [choice for one in both for choice in choices(one)]


def broken(java: str) -> bool:
    """Whether it is not whole, or no Java."""
    return parsed(java).root_node.has_error


def statements(java: str) -> Iterator[tuple[int, int]]:
    """Where each statement and each declaration of a cell begins, with the comments above, and ends."""
    start = 0
    for node in parsed(java).root_node.children:
        if node.type not in (";", *TEXTS) and node.start_byte < len(java):
            yield start, min(node.end_byte, len(java))
            start = node.end_byte


def parts(java: str) -> Iterator[tuple[str, str]]:
    """The kind and the text of each statement and declaration, without blank lines around it."""
    at_top = [node for node in parsed(java).root_node.children if node.type not in (";", *TEXTS)]
    for node, (start, end) in zip(at_top, statements(java), strict=False):
        yield node.type, java[start:end].strip("\n")


def top(java: str) -> Iterator[tuple[str, str]]:
    """The names that a cell declares in the kernel, in order: each with its type if it is a variable."""
    for node in parsed(java).root_node.children:
        if node.type in (*TYPES, "method_declaration") and (name := node.child_by_field_name("name")):
            yield of(java, name), ""
        for each in named_in(node) if node.type == "local_variable_declaration" else []:
            yield of(java, each), of(java, part(node, "type"))


def named_in(declaration: Node) -> list[Node]:
    """The names of the variables of a declaration."""
    each = declaration.children_by_field_name("declarator")
    return [name for one in each if (name := one.child_by_field_name("name"))]


def declared(java: str) -> set[str]:
    """The names that a cell declares in the kernel."""
    return {name for name, _ in top(java)}


def types(java: str) -> list[str]:
    """The names of all classes, records and the like, also of those in others."""
    named = (node.child_by_field_name("name") for node in nodes(java, *TYPES))
    return [of(java, name) for name in named if name]


def variables(java: str) -> set[str]:
    """The names of all variables, fields and parameters, wherever they are declared."""
    found = [node.child_by_field_name("name") for node in nodes(java, *VARIABLES)]
    found += [node.children[-1] for node in nodes(java, *PATTERNS) if node.children]
    found += [each for node in nodes(java, *NAMES) for each in node.named_children]
    found += [node.child_by_field_name("parameters") for node in nodes(java, "lambda_expression")]
    return {of(java, name) for name in found if name and name.type == "identifier"}


def assigned(java: str) -> set[str]:
    """The names of variables that get another value, without those of a block or class in the cell."""
    found: set[str] = set()
    # each node with the names that the blocks around it declare: those of the inner one, and the outer ones
    waiting: list[tuple[Node, tuple]] = [(parsed(java).root_node, ())]
    while waiting:
        node, around = waiting.pop()
        left = node.child_by_field_name("left") if node.type == "assignment_expression" else None
        for each in node.named_children if node.type == "update_expression" else [left]:
            name = of(java, each) if each and each.type == "identifier" else ""
            if name and not is_in(name, around):
                found.add(name)
        if node.type != "program" and (own := own_names(java, node)):
            around = own, around
        waiting += [(child, around) for child in reversed(node.children)]
    return found


def is_in(name: str, around: tuple) -> bool:
    while around:
        inner, around = around
        if name in inner:
            return True
    return False


def own_names(java: str, node: Node) -> set[str]:
    """The names that a node declares for what stands in it."""
    there = [each for one in node.named_children for each in named_in(one)]
    there += node.children_by_field_name("parameters")
    for child in (node, *node.named_children):
        if child.type in ("formal_parameters", "inferred_parameters", "resource_specification"):
            there += [each.child_by_field_name("name") or each for each in child.named_children]
        elif child.type in VARIABLES and (name := child.child_by_field_name("name")):
            there.append(name)
    return {of(java, each) for each in there}


def replaced(java: str, name: str, by: str) -> str:
    """The source in which declarations of a variable begin with other words than its type."""
    for node in reversed([*nodes(java, "local_variable_declaration")]):
        if name in {of(java, each) for each in named_in(node)}:
            java = java[: node.start_byte] + by + java[part(node, "declarator").start_byte :]
    return java


def mentioned(java: str) -> set[str]:
    """All names, what is called on a name, such as `System.exit`, and what is made, such as `new Thread`."""
    found = {of(java, node) for node in nodes(java, "identifier", "type_identifier")}
    for node in nodes(java, "method_invocation", "object_creation_expression"):
        whole = java[node.start_byte : part(node, "arguments").start_byte]
        found.add(re.sub(r"\s*\.\s*|(?<=new)\s+", lambda gap: "." if "." in gap[0] else " ", whole.strip()))
    return found


def used(java: str) -> set[str]:
    """The names that a source takes from elsewhere, without its own members, parameters and variables."""
    found = set()
    for node in nodes(java, "identifier", "type_identifier"):
        above, before = node.parent, node.prev_sibling
        if not (before and before.type in (".", "::")) and not (above and above.type in PACKAGES):
            found.add(of(java, node))
    return found - variables(java)


def imports(java: str) -> Iterator[tuple[str, str, str]]:
    """Each import: its text, its package or class, and the name that it brings or *."""
    for node in nodes(java, "import_declaration"):
        whole = of(java, node)
        package, _, name = re.sub(r"^import\s+(static\s+)?|\s|;", "", whole).rpartition(".")
        yield whole, package, name


class Call(NamedTuple):
    """A call: what is called, such as `Plots.titled`, where its last name begins and the call ends."""

    name: str
    arguments: list[str]
    inside: str  # all of them, as they stand
    begin: int
    end: int


def calls(java: str, pattern: str) -> list[Call]:
    """The calls whose name ends as a pattern says, in the order of their arguments."""
    found = []
    for node in nodes(java, "method_invocation"):
        given, of_what = part(node, "arguments"), node.child_by_field_name("object")
        name = java[node.start_byte : given.start_byte].strip()
        if re.search(rf"(?:{pattern})$", name):
            begin = of_what.end_byte if of_what else node.start_byte
            inside = java[given.start_byte + 1 : given.end_byte - 1]
            each = [of(java, one) for one in given.named_children if one.type not in TEXTS[2:]]
            found.append((given.start_byte, Call(name, each, inside, begin, node.end_byte)))
    return [call for _, call in sorted(found)]
