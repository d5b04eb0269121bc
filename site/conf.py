"""How Sphinx makes the site of what tools/publish/build_site.py has gathered. Nothing is executed here."""

import json
import os
import re
from html import escape
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

project = "Virtual Threads by Experiment"
html_title = project
author = project
copyright = "the authors of the course. Text: CC BY 4.0, code: Apache-2.0"
version = release = os.environ.get("THREADLAB_VERSION", "")
language = "en"

extensions = ["myst_nb"]
exclude_patterns = ["stored", "teaching/**/*.ipynb", "teaching/*.ipynb"]
templates_path = ["_templates"]
nb_execution_mode = "off"
nb_merge_streams = True
# the text of an exception is Java's, not Python
nb_render_error_lexer = "text"
nb_code_prompt_show = "Show the answer"
nb_code_prompt_hide = "Hide the answer"
myst_enable_extensions = ["attrs_inline", "dollarmath"]
myst_heading_anchors = 3
# a cell may hold a command of the kernel, such as %libraries, which is not Java
suppress_warnings = ["misc.highlighting_failure"]

html_theme = "sphinx_book_theme"
html_static_path = ["_static"]
html_css_files = ["own.css", "alive.css"]
html_js_files = ["search.js"]
html_baseurl = os.environ.get("THREADLAB_SITE", "")
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = ""
html_sidebars = {"**": ["navbar-logo.html", "search-button-field.html", "sbt-sidebar-nav.html"]}
html_math_renderer = "mathml"
html_theme_options = {
    "use_download_button": False,  # each notebook links its own at the top
    "use_fullscreen_button": False,
    # search is in the sidebar
    "navbar_persistent": [],
    "navbar_start": [],
    "navbar_center": [],
    "navbar_end": [],
    "show_navbar_depth": 1,
    "show_toc_level": 2,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "repository_url": os.environ.get("THREADLAB_REPOSITORY", ""),
    "use_repository_button": bool(os.environ.get("THREADLAB_REPOSITORY")),
    "logo": {"text": project},
}


def formula(translator: HTML5Translator, node: nodes.math) -> None:
    """Writes a formula as MathML, which browsers render natively."""
    kind = "block" if isinstance(node, nodes.math_block) else "inline"
    translator.body.append(convert(node.astext(), display=kind))
    raise nodes.SkipNode


TAG = re.compile(r"<[^>]+>")
# how the headings of these parts begin, in each language that the site has
MORE = ("More · ", "더 보기 · ", "発展 · ", "延伸 · ")


def fold(app: Sphinx, page: nodes.document) -> None:
    """Folds the parts *More*, which a reader may skip, below their headings."""
    for section in list(page.findall(nodes.section)):
        if section[0].astext().startswith(MORE):
            start = '<details class="more"><summary>Show this part</summary>'
            begin, end = (nodes.raw("", html, format="html") for html in (start, "</details>"))
            section[1:] = [begin, *section[1:], end]


def describe(app: Sphinx, name: str, template: str, context: dict, page: nodes.document | None) -> None:
    """Gives a page the description that searches and shared links show: its first paragraph of words."""
    if name == "search":
        app.add_js_file(PARTS_FILE)
    if page is None:
        return
    plain = (TAG.sub("", one.astext()) for one in page.findall(nodes.paragraph))
    texts = (" ".join(one.split()) for one in plain)
    words = next((text for text in texts if len(text) > 60), "")
    if len(words) > 200:
        words = words[:200].rpartition(" ")[0] + " …"
    # tools/publish/shared.py adds the rest, when the page and its pictures are there
    tags = {"description": words, "og:title": app.env.titles[name].astext()}
    context["metatags"] = context.get("metatags", "") + "".join(
        f'<meta {"name" if key == "description" else "property"}="{key}" content="{escape(text)}" />\n'
        for key, text in tags.items()
        if text
    )


# codes of HTTP: Sphinx leaves numbers out of its index, so they are there as words, for which search.js looks
OUTPUT = "cell_code_output"
CODES = re.compile(r"\b(429|502|503|504)\b")


def outputs(page: nodes.document) -> set[nodes.Node]:
    """All that a run has printed: a number there is no code of HTTP, and a word no explanation."""
    cells = page.findall(lambda node: isinstance(node, nodes.container) and node.get("nb_element") == OUTPUT)
    return {node for cell in cells for node in cell.findall()}


def index_codes(app: Sphinx, page: nodes.document) -> None:
    """Lets a search find the pages that speak of a code."""
    printed = outputs(page)
    texts = " ".join(one.astext() for one in page.findall(nodes.Text) if one not in printed)
    if found := sorted({f"http{code}" for code in CODES.findall(texts)}):
        page.append(nodes.meta("", name="keywords", content=", ".join(found)))


# page → its parts: address, heading above it, text, and whether it is code; for search.js
PARTS_FILE = "search-cells.js"
PARTS: dict[str, list[list[str | bool]]] = {}
MARK = re.compile(r'<(?:span|div) id="(cell-[\w-]+)">')
TEXTS = (nodes.title, nodes.paragraph, nodes.term, nodes.literal_block)


def divide(app: Sphinx, page: nodes.document) -> None:
    """Gives each cell with code an address, and notes what can be found at each address of the page."""
    parts = PARTS[app.env.current_document.docname] = []
    heading, printed = "", outputs(page)
    for node in page.findall():
        if isinstance(node, nodes.section):
            heading = node[0].astext()
            parts.append([node["ids"][0], heading, ""])
        elif isinstance(node, nodes.container) and node.get("nb_element") == "cell_code":
            node["ids"].append(f"cell-{node['cell_metadata']['cell']}")
            parts.append([node["ids"][0], heading, "", True])
        elif isinstance(node, nodes.raw) and (found := MARK.search(node.astext())):
            parts.append([found[1], heading, ""])
        elif isinstance(node, TEXTS) and parts and node not in printed:
            plain = node.astext() if isinstance(node, nodes.literal_block) else TAG.sub("", node.astext())
            parts[-1][2] += f" {' '.join(plain.split())}"


def write_parts(app: Sphinx, failed: Exception | None) -> None:
    if not failed:
        found = {page: [part for part in parts if part[2]] for page, parts in PARTS.items()}
        text = f"window.searchCells = {json.dumps(found, ensure_ascii=False, separators=(',', ':'))};\n"
        Path(app.outdir, "_static", PARTS_FILE).write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", fold)
    app.connect("doctree-read", divide)
    app.connect("doctree-read", index_codes)
    app.connect("build-finished", write_parts)
    app.connect("html-page-context", describe)
    app.add_html_math_renderer("mathml", (formula, None), (formula, None))
