"""Completes the documentation site that DocC made, in the folder SITE below the path ROOT: build.py SITE ROOT

Adds the Markdown files of the repository, a landing page and a search over everything, and gives the pages of DocC a
title, a header, and their content for browsers without JavaScript.
"""

import html
import json
import pathlib
import re
import string
import subprocess
import sys
import tempfile

import docc
from pages import REPOSITORY, Markdown, Page

SITE, ROOT = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2].rstrip("/") + "/"
HERE = pathlib.Path(__file__).parent

# The pages that the navigation shows: files, and articles of DocC's.
NAVIGATION = {
    "Start": ["README.md", "docs/install.md", "GettingStarted", "CheatSheet", "Questions"],
    "Tutorials": ["AvatarList", "ImageEndpoint", "ThumbnailJob"],
    "Library": ["WritingAGTKApp", "CachingExplained", "Processors", "Formats", "Servers", "Performance", "Testing"],
    "Command and server": ["docs/cli.md", "docs/image-server.md", "docs/image-server-urls.md"],
    "Project": ["SECURITY.md", "CHANGELOG.md", "docs/benchmarks.md", "docs/load-cost.md", "docs/glossary.md",
                "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/README.md"],
}
# Kinds of pages that the search shows before the decisions and the 3,000 symbols.
GUIDES = ["Guide", "Article"]


def paths():
    """The path on the site for each Markdown file."""
    files = [name for names in NAVIGATION.values() for name in names if name.endswith(".md")]
    files += [str(file.relative_to(REPOSITORY)) for file in sorted((REPOSITORY / "docs/decisions").glob("*.md"))]
    found = {file: file.removesuffix(".md").lower() + "/" for file in files}
    return found | {"README.md": "overview/", "docs/README.md": "docs/"}


def address(path):
    return html.escape(ROOT + path)


def navigation(pages, current=None):
    """Links to the pages in NAVIGATION; the current one has its sections below it."""
    parts = []
    for group, names in NAVIGATION.items():
        parts.append(f"<h2>{group}</h2><ul>")
        for name in names:
            page = pages[name]
            mark = ' aria-current="page"' if page is current else ""
            parts.append(f'<li><a href="{address(page.path)}"{mark}>{html.escape(page.title)}</a>')
            sections = [heading for heading in page.headings if heading[0] == 2] if page is current else []
            if sections:
                links = [f'<li><a href="#{anchor}">{html.escape(text)}</a></li>' for _, anchor, text in sections]
                parts.append(f"<ul>{''.join(links)}</ul>")
            parts.append("</li>")
        if group == "Library":
            parts.append(f'<li><a href="{ROOT}documentation/">All articles and symbols</a></li>')
        parts.append("</ul>")
    return "".join(parts)


class Site:
    def __init__(self):
        self.templates = {file.stem: string.Template(file.read_text()) for file in HERE.glob("*.html")}
        self.header = self.templates["header"].substitute(root=ROOT)
        files = paths()
        markdown = Markdown(SITE, ROOT, files)
        self.documents = {file: markdown.page(file) for file in files}
        for file in files:
            if file.startswith("docs/decisions/"):
                self.documents[file].kind = "Decision"
        self.documents["README.md"].title = "Overview"
        self.articles = docc.read(
            SITE, ROOT, {file: (page.title, ROOT + page.path) for file, page in self.documents.items()})
        in_module = {pathlib.Path(page.path).name: page for page in self.articles if page.kind == "Article"}
        self.pages = self.documents | {name: in_module[name.lower()] for names in NAVIGATION.values() for name in names
                                       if not name.endswith(".md")}
        self.sample = markdown.sample

    def write(self):
        for page in self.documents.values():
            self.save(page, self.templates["page"].substitute(nav=navigation(self.pages, page), body=page.body))
        self.save(Page("search/", "Search", "Search the documentation.", "", []),
                  self.templates["search"].substitute(nav=navigation(self.pages)))
        samples = {name: self.sample(*place.split("#")) for name, place in re.findall(
            r"<!-- sample (\w+): (\S+) -->", self.templates["home"].template)}
        pictures = {file.name: file for file in [
            *REPOSITORY.glob("docs/images/*"), *REPOSITORY.glob("Sources/Alcedo/Alcedo.docc/*.jpg")]}
        home = self.templates["home"].substitute(samples, root=ROOT)
        for name in re.findall(r"pictures/([\w.-]+)", home):
            (SITE / "pictures" / name).write_bytes(pictures[name].read_bytes())
        self.save(Page("", "Alcedo: image loading for Swift on Linux", "", "", []), home)
        for page in self.articles:
            self.complete(page)
        for name in ["style.css", "site.js"]:
            (SITE / f"site{pathlib.Path(name).suffix}").write_bytes((HERE / name).read_bytes())
        # Its title is the second half of a page's, once JavaScript has set it.
        (SITE / "theme-settings.json").write_text(json.dumps({"meta": {"title": "Alcedo"}}))

    def save(self, page, content):
        folder = SITE / page.path
        folder.mkdir(parents=True, exist_ok=True)
        title = f"{page.title} · Alcedo" if page.path else page.title
        (folder / "index.html").write_text(self.templates["frame"].substitute(
            root=ROOT, title=html.escape(title), summary=html.escape(page.summary), header=self.header, content=content))

    def complete(self, page):
        """Writes title, header and content into a page of DocC's, whose own are the same on all pages."""
        file = SITE / page.path / "index.html"
        head = (f"<title>{html.escape(page.title)}{' · Alcedo' if page.kind == 'Article' else ''}</title>"
                f'<meta name="description" content="{html.escape(page.summary)}">'
                f'<link rel="stylesheet" href="{ROOT}site.css">')
        content = f'<noscript><div class="site"><main>{page.body}</main></div></noscript>'
        text = re.sub("<title>.*?</title>", lambda _: head, file.read_text(), count=1)
        text = re.sub("<noscript>.*?</noscript>", lambda _: self.header + content, text, count=1, flags=re.DOTALL)
        file.write_text(text)

    def index(self):
        """Indexes the text of all pages, without navigation; Pagefind reads it from files."""
        with tempfile.TemporaryDirectory() as folder:
            for page in [*self.documents.values(), *self.articles]:
                part = "guide" if page.kind in GUIDES else "reference"
                file = pathlib.Path(folder, page.path, "index.html")
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(
                    f'<!doctype html><html lang="en"><body><main data-pagefind-body data-pagefind-filter="part:{part}">'
                    f'<p hidden data-pagefind-meta="kind">{html.escape(page.kind)}</p>'
                    f'<p hidden data-pagefind-meta="title">{html.escape(page.title)}</p>{page.body}</main></body></html>')
            subprocess.run([sys.executable, "-m", "pagefind", "--silent", "--site", folder,
                            "--output-path", SITE / "pagefind"], check=True)


site = Site()
site.write()
site.index()
print(f"{len(site.documents)} pages from Markdown, {len(site.articles)} from DocC.")
