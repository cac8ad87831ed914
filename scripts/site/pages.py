"""Markdown files of the repository as HTML, with links between the pages of the site."""

import dataclasses
import html
import json
import pathlib
import re
import sys

import markdown_it

REPOSITORY = pathlib.Path(__file__).parents[2]
NO_HEADINGS = re.compile(r"<thead>\s*<tr>\s*(<th[^>]*></th>\s*)+</tr>\s*</thead>")
PICTURE = re.compile(r'(src|srcset)="([^"]+)"')


@dataclasses.dataclass
class Page:
    path: str
    title: str
    summary: str
    body: str
    # Level, anchor and text.
    headings: list
    kind: str = "Guide"


def slug(text):
    """A heading's anchor, as GitHub writes it."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def plain(token):
    return "".join(" " if child.type == "softbreak" else child.content for child in token.children)


class Markdown:
    """Converts the files in `paths`, which has the path on the site for each."""

    def __init__(self, site, root, paths):
        self.site, self.root, self.paths = site, root, paths
        self.parser = markdown_it.MarkdownIt("commonmark", {"html": True}).enable("table")
        (site / "pictures").mkdir(exist_ok=True)

    def page(self, file):
        tokens = self.parser.parse((REPOSITORY / file).read_text())
        headings, summary = self.headings(tokens), ""
        for number, token in enumerate(tokens):
            if token.type == "inline":
                token.children = list(self.linked(token.children, file))
                if not summary and tokens[number - 1].type == "paragraph_open":
                    summary = plain(token)
            elif token.type == "html_block":
                token.content = PICTURE.sub(
                    lambda match: f'{match[1]}="{self.picture(file, match[2])}"', token.content)
        body = self.parser.renderer.render(tokens, self.parser.options, {})
        body = NO_HEADINGS.sub("", body)
        body = body.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")
        return Page(self.paths[file], headings[0][2], summary, body, headings)

    def sample(self, file, anchor):
        """The first code block under a heading."""
        tokens = self.parser.parse((REPOSITORY / file).read_text())
        self.headings(tokens)
        for number, token in enumerate(tokens):
            if token.type == "heading_open" and token.attrs["id"] == anchor:
                for block in tokens[number:]:
                    if block.type == "fence":
                        return html.escape(block.content)
        sys.exit(f"scripts/site/home.html: {file} has no sample under #{anchor}")

    def headings(self, tokens):
        """Gives each heading its anchor."""
        found, used = [], {}
        for number, token in enumerate(tokens):
            if token.type == "heading_open":
                text = plain(tokens[number + 1])
                anchor = slug(text)
                used[anchor] = used.get(anchor, -1) + 1
                anchor += f"-{used[anchor]}" if used[anchor] else ""
                token.attrs["id"] = anchor
                found.append((int(token.tag[1]), anchor, text))
        return found

    def linked(self, children, file):
        """The parts of a paragraph with links to the site; without links to files that the site lacks."""
        is_dropped = False
        for child in children:
            if child.type == "image":
                child.attrs["src"] = self.picture(file, child.attrs["src"])
            elif child.type == "link_open":
                target = self.target(file, child.attrs["href"])
                is_dropped = target is None
                child.attrs["href"] = target
            if not (is_dropped and child.type in ("link_open", "link_close")):
                yield child

    def target(self, file, link):
        if re.match("[a-z]+:|#", link):
            return link
        name, _, fragment = link.partition("#")
        name = str((REPOSITORY / file).parent.joinpath(name).resolve().relative_to(REPOSITORY))
        if name in self.paths:
            path = self.paths[name]
        elif article := re.fullmatch(r"Sources/\w+/(\w+)\.docc/(\w+)\.md", name):
            module, title = article[1].lower(), article[2].lower()
            path = f"documentation/{module}/" + (f"{title}/" if title != module else "")
            fragment = self.article_anchors(path).get(fragment, fragment)
        else:
            return None
        return f"{self.root}{path}" + (f"#{fragment}" if fragment else "")

    def article_anchors(self, path):
        """DocC's anchors by GitHub's, for an article."""
        file = self.site / "data" / (path.rstrip("/") + ".json")
        sections = json.loads(file.read_text()).get("primaryContentSections", [])
        blocks = [block for section in sections for block in section.get("content", [])]
        return {slug(block["text"]): block["anchor"] for block in blocks if block["type"] == "heading"}

    def picture(self, file, link):
        source = (REPOSITORY / file).parent / link
        (self.site / "pictures" / source.name).write_bytes(source.read_bytes())
        return f"{self.root}pictures/{source.name}"
