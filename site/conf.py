"""How Sphinx makes the site of what tools/publish/build_site.py has gathered. Nothing is executed here."""

import os
import re
from html import escape

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

extensions = ["myst_nb", "sphinx_reredirects"]
# pages that were renamed, so that old links lead on
redirects = {
    "notebooks/13-write-a-virtual-thread-annotation": "13-work-after-the-answer.html",
    "notebooks/deeper/compare-doors": "compare-limits.html",
}
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


def name_cells(app: Sphinx, page: nodes.document) -> None:
    """Gives each cell with code an address."""
    for node in page.findall(
        lambda node: isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"
    ):
        node["ids"].append(f"cell-{node['cell_metadata']['cell']}")


def setup(app: Sphinx) -> None:
    app.connect("doctree-read", fold)
    app.connect("doctree-read", name_cells)
    app.connect("html-page-context", describe)
    app.add_html_math_renderer("mathml", (formula, None), (formula, None))
