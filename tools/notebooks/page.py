"""Writes an executed notebook as a page that needs no network: jupyter nbconvert --to page.Page NOTEBOOK.

nbconvert's own page draws its formulas with a script from the network; without it they are shown as
source. Here they are MathML, which browsers draw themselves, and the page has no script.
"""

import re
from html import escape
from typing import Any

from jinja2 import pass_context
from latex2mathml.converter import convert
from latex2mathml.exceptions import NoAvailableTokensError
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from traitlets.config import Config

# The converter knows operators only by name, and takes 5{,}000 for two numbers.
OPERATORS = {"·": r"\cdot", "÷": r"\div", "×": r"\times", "≤": r"\le", "≥": r"\ge", "≈": r"\approx"}
IN_A_NUMBER = re.compile(r"(?<=\d)</mn><mrow><mo>&#x0002C;</mo></mrow><mn>(?=\d)")


def mathml(formula: str, display: str) -> str:
    """A formula for the browser; an empty one is shown as in the notebook."""
    named = "".join(f"{OPERATORS[sign]} " if sign in OPERATORS else sign for sign in formula)
    try:
        return IN_A_NUMBER.sub(",", convert(named, display=display))
    except NoAvailableTokensError:
        return escape(formula)


class Renderer(IPythonRenderer):
    def inline_math(self, body: str) -> str:
        return mathml(body, "inline")

    def block_math(self, body: str) -> str:
        return mathml(body, "block")


class Page(HTMLExporter):
    """nbconvert's page without its scripts, which come from the network, and with formulas in MathML."""

    raw_template = "{% extends 'index.html.j2' %}" + "".join(
        f"{{% block {name} %}}{{% endblock %}}"
        for name in ("html_head_js", "html_head_js_mathjax", "html_head_js_mermaidjs")
    )

    @property
    def default_config(self) -> Config:
        """Without widgets, which need a kernel and a script from the network: their words are shown."""
        config = super().default_config.copy()
        shown = config["NbConvertBase"]["display_data_priority"]
        config["NbConvertBase"]["display_data_priority"] = [kind for kind in shown if "widget" not in kind]
        return config

    @pass_context
    def markdown2html(self, context: Any, source: str) -> str:
        attachments = context.get("cell", {}).get("attachments", {})
        renderer = Renderer(escape=False, attachments=attachments, **self.lexer_options)
        return MarkdownWithMath(renderer=renderer).render(source)
