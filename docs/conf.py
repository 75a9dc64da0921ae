"""The documentation as a site: `sphinx-build --fail-on-warning --nitpicky docs build/site`.

Pages are the Markdown files of this folder, which a repository's viewer shows as well; the `.rst` files are the site's
own: its navigation, and the API from docstrings.
"""

import dataclasses
import importlib.metadata
import inspect
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode

import miai

project = "miai"
author = "miai developers"
version = release = importlib.metadata.version("miai")

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["README.md"]

html_theme = "furo"
html_title = f"miai {release}"
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_theme_options = {
    "top_of_page_buttons": [],
    "light_css_variables": {"mystnb-source-border-color": "#ddd"},
    "dark_css_variables": {"mystnb-source-border-color": "#333"},
}
smartquotes = False
highlight_language = "text"

myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_execution_timeout = 900

default_role = "code"
autoclass_content = "both"
autodoc_preserve_defaults = True
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
nitpick_ignore_regex = [
    ("py:.*", r"(?!miai\.).*"),
    ("py:class", r"miai\.engine\.(go\.game\.Game|search\.report\.SearchReport)"),
    ("py:class", r"miai\.gtp\.(protocol\.ParsedLine|protocol\.ReplyWriter|session\.PositionReport)"),
    ("py:class", r"miai\.players\.options\.(Game|Player)Options"),
]
"""Types of Python and its packages, and the engine's own, which the API names and does not show."""

PUBLIC = {f"{home}.{name}": f"miai.{name}" for name, home in miai._HOMES.items()}
"""Where a name of the front door is defined, to where it is documented."""


def cut_links_out(app: Sphinx, doctree: nodes.document) -> None:
    """Make links out of this folder plain text, those to the README links to the first page. Name pages by titles."""
    page = Path(app.srcdir) / app.env.docname
    for link in list(doctree.findall(addnodes.pending_xref)):
        if link["reftype"] != "myst":
            continue
        target = (page.parent / link["reftarget"]).resolve()
        if link["refdomain"] != "doc":
            if target.is_dir():
                link.replace_self(link.children)
        elif target == Path(app.srcdir).parent / "README":
            link["reftarget"] = "index"
        elif not target.is_relative_to(app.srcdir):
            link.replace_self(link.children)
        elif link.astext().endswith(".md"):
            link["refexplicit"] = False
    for file in list(doctree.findall(addnodes.download_reference)):
        if not (page.parent / file["reftarget"]).resolve().is_relative_to(app.srcdir):
            file.replace_self(file.children)


def point_into_this_folder(app: Sphinx, doctree: nodes.document) -> None:
    """Make links and images of the repository's README, a part of the first page, relative to this folder."""
    for image in doctree.findall(nodes.image):
        image["uri"] = image["uri"].removeprefix("docs/")
    for link in doctree.findall(addnodes.pending_xref):
        if link["reftype"] == "myst" and link["reftarget"].startswith("docs/"):
            path, _, anchor = link["reftarget"].removeprefix("docs/").partition("#")
            link.attributes |= {
                "refdomain": "doc",
                "reftarget": path.removesuffix(".md"),
                "reftargetid": anchor or None,
            }


def find_public_name(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, content: nodes.TextElement
) -> nodes.Node | None:
    """Resolve a type by the name that it is documented under."""
    found = env.domains.python_domain.objects.get(PUBLIC.get(node["reftarget"], ""))
    return found and make_refnode(app.builder, node["refdoc"], found.docname, found.node_id, content)


def keep_first_sentence(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Keep napoleon from reading `Expected owners, float32 [size, size]: …` as a type and its description."""
    lines.insert(0, "")


def correct_signature(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, signature: str | None, returned: str | None
) -> tuple[str, None] | None:
    """Leave out the signature of records, whose fields stand below; give that of compiled functions in full."""
    if what == "method" and hasattr(thing, "py_func"):
        return str(inspect.signature(thing.py_func)), None
    is_record = what == "class" and (dataclasses.is_dataclass(thing) or hasattr(thing, "_fields"))
    return ("", None) if is_record else None


def setup(app: Sphinx) -> None:
    """Connect what the pages need."""
    app.add_lexer("gtp", TextLexer)
    app.connect("doctree-read", point_into_this_folder, priority=100)
    app.connect("doctree-read", cut_links_out)
    app.connect("autodoc-process-docstring", keep_first_sentence, priority=100)
    app.connect("autodoc-process-signature", correct_signature)
    app.connect("missing-reference", find_public_name)
