"""The pages that DocC made, as plain HTML: for browsers without JavaScript, and for the search."""

import collections
import html
import json
import pathlib
import re
import sys

from pages import Page


class Article:
    """Renders the content of one of DocC's JSON files."""

    def __init__(self, content, root):
        self.content, self.root = content, root
        self.references = content["references"]

    def inline(self, nodes):
        return "".join(self.part(node) for node in nodes)

    def part(self, node):
        match node["type"]:
            case "text":
                return html.escape(node["text"])
            case "codeVoice":
                return f"<code>{html.escape(node['code'])}</code>"
            case "strong" | "emphasis":
                tag = "strong" if node["type"] == "strong" else "em"
                return f"<{tag}>{self.inline(node['inlineContent'])}</{tag}>"
            case "reference":
                return self.link(node["identifier"], node["isActive"], node.get("overridingTitleInlineContent"))
            case "image":
                return self.picture(self.references[node["identifier"]])
        sys.exit(f"scripts/site/docc.py: DocC wrote text of the unknown type {node['type']}")

    def link(self, identifier, is_active=True, title=None):
        reference = self.references.get(identifier)
        if not reference:
            return ""
        if title or "titleInlineContent" in reference:
            text = self.inline(title or reference["titleInlineContent"])
        else:
            text = html.escape(reference["title"])
        if reference.get("kind") == "symbol" or reference["type"] == "unresolvable":
            text = f"<code>{text}</code>"
        return f'<a href="{self.address(reference["url"])}">{text}</a>' if is_active and "url" in reference else text

    def address(self, url):
        if not url.startswith("/") or self.root != "/" and url.startswith(self.root):
            return html.escape(url)
        path, mark, fragment = url.lstrip("/").partition("#")
        path += "/" if path.startswith("documentation") and not path.endswith("/") else ""
        return html.escape(self.root + path + mark + fragment)

    def picture(self, reference):
        variants = {"dark" if "dark" in variant["traits"] else "light": self.address(variant["url"])
                    for variant in reference["variants"]}
        image = f'<img alt="{html.escape(reference.get("alt", ""))}" src="{variants.get("light") or variants["dark"]}">'
        if len(variants) < 2:
            return image
        return f'<picture><source media="(prefers-color-scheme: dark)" srcset="{variants["dark"]}">{image}</picture>'

    def blocks(self, nodes):
        return "\n".join(self.block(node) for node in nodes)

    def block(self, node):
        match node["type"]:
            case "paragraph":
                return f"<p>{self.inline(node['inlineContent'])}</p>"
            case "heading":
                level, anchor = node["level"], html.escape(node["anchor"])
                return f'<h{level} id="{anchor}">{html.escape(node["text"])}</h{level}>'
            case "codeListing":
                return f"<pre><code>{html.escape(chr(10).join(node['code']))}</code></pre>"
            case "aside":
                name = html.escape(node.get("name", "Note"))
                return f"<blockquote><p><strong>{name}</strong></p>{self.blocks(node['content'])}</blockquote>"
            case "unorderedList" | "orderedList":
                tag = "ul" if node["type"] == "unorderedList" else "ol"
                items = [f"<li>{self.blocks(item['content'])}</li>" for item in node["items"]]
                return f"<{tag}>{''.join(items)}</{tag}>"
            case "table":
                return self.table(node["rows"])
        sys.exit(f"scripts/site/docc.py: DocC wrote a block of the unknown type {node['type']}")

    def table(self, rows):
        lines = []
        for number, row in enumerate(rows):
            tag = "td" if number else "th"
            cells = [self.inline(block["inlineContent"]) for cell in row for block in cell or [{"inlineContent": []}]]
            if number or any(cells):
                lines.append("<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>")
        return f'<div class="table"><table>{"".join(lines)}</table></div>'

    def declarations(self):
        found = [declaration for section in self.content.get("primaryContentSections", [])
                 for declaration in section.get("declarations", [])]
        return ["".join(token["text"] for token in declaration["tokens"]) for declaration in found]

    def primary(self, section):
        match section["kind"]:
            case "declarations":
                return "".join(f"<pre><code>{html.escape(text)}</code></pre>" for text in self.declarations())
            case "content":
                return self.blocks(section["content"])
            case "parameters":
                items = [f"<dt><code>{html.escape(item['name'])}</code></dt><dd>{self.blocks(item['content'])}</dd>"
                         for item in section["parameters"]]
                return f"<h2>Parameters</h2><dl>{''.join(items)}</dl>"
        # Where articles mention it.
        return ""

    def lists(self, title, sections):
        """Groups of links to other pages, each with its abstract."""
        parts = [f"<h2>{title}</h2>"] if sections else []
        for section in sections:
            if "title" in section:
                anchor = html.escape(section.get("anchor", section["title"].replace(" ", "-")))
                parts.append(f'<h3 id="{anchor}">{html.escape(section["title"])}</h3>')
            parts.append("<ul>")
            for name in section["identifiers"]:
                abstract = self.inline(self.references.get(name, {}).get("abstract", []))
                parts.append(f"<li>{self.link(name)}{': ' if abstract else ''}{abstract}</li>")
            parts.append("</ul>")
        return "".join(parts)

    def parents(self):
        paths = self.content.get("hierarchy", {}).get("paths") or [[]]
        return [name for name in paths[0] if name in self.references]

    def body(self):
        content = self.content
        parents = " / ".join(self.link(name) for name in self.parents())
        parts = [f"<p>{parents}</p>" if parents else "", f"<h1>{html.escape(content['metadata']['title'])}</h1>",
                 f"<p>{self.inline(content.get('abstract', []))}</p>"]
        if "deprecationSummary" in content:
            parts.append(f"<p><strong>Deprecated.</strong></p>{self.blocks(content['deprecationSummary'])}")
        parts += [self.primary(section) for section in content.get("primaryContentSections", [])]
        parts += [self.lists("Topics", content.get("topicSections", [])),
                  self.lists("Relationships", content.get("relationshipsSections", [])),
                  self.lists("Default implementations", content.get("defaultImplementationsSections", []))]
        return "\n".join(parts)


def text(markup):
    return html.unescape(re.sub("<[^>]+>", "", markup))


def link_files(node, references, files):
    """Turns names of files that are pages of the site, such as `docs/install.md`, into links; whether there was one."""
    if isinstance(node, list):
        return any([link_files(item, references, files) for item in node])
    if not isinstance(node, dict):
        return False
    if node.get("type") == "codeVoice" and node["code"] in files:
        title, url = files[node["code"]]
        references[url] = {"type": "link", "identifier": url, "title": title, "url": url,
                           "titleInlineContent": [{"type": "text", "text": title}]}
        node.clear()
        node.update(type="reference", identifier=url, isActive=True)
        return True
    return any([link_files(value, references, files) for key, value in node.items() if key != "references"])


def read(site, root, files):
    """All pages of DocC's, with links to the pages in `files`, which has title and URL of each file."""
    found = []
    for file in sorted(site.glob("data/documentation*")):
        for data in [file] if file.is_file() else sorted(file.rglob("*.json")):
            content = json.loads(data.read_text())
            if link_files(content, content["references"], files):
                data.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")))
            article = Article(content, root)
            title, role = content["metadata"]["title"], content["metadata"].get("role")
            parents = [article.references[name]["title"] for name in reversed(article.parents())]
            if role == "collection":
                title += " module" if data.parent.name == "documentation" else ": all modules"
            # DocC also makes pages for what a type has by a protocol.
            is_article = content["kind"] == "article" and role != "collection" and not title.endswith(" Implementations")
            parents = [] if is_article else parents
            path = str(data.relative_to(site / "data").with_suffix("")) + "/"
            kind = "Article" if is_article else content["metadata"].get("roleHeading", "API")
            page = Page(path, " · ".join([title] + parents), text(article.inline(content.get("abstract", []))),
                        article.body(), [], kind)
            found.append((page, article))
    return distinct(found)


def distinct(found):
    """Adds to titles that are not unique, as those of overloads, the declaration, or the name of the page."""
    for suffix in [lambda page, article: " ".join("".join(article.declarations()).split()),
                   lambda page, article: pathlib.Path(page.path).name]:
        count = collections.Counter(page.title for page, _ in found)
        for page, article in found:
            if count[page.title] > 1:
                page.title += f" · {suffix(page, article)}" if suffix(page, article) else ""
    return [page for page, _ in found]
