"""Opens pages of a documentation site in headless Chromium: check-docs.py SITE [SCREENSHOTS]

Chromium is driven over its debugging pipe, so that one process opens all pages. Prints each fault; fails if there is one.
"""

import functools
import html.parser
import http.server
import json
import pathlib
import sys
import tempfile
import threading
import urllib.parse

from browser import Browser

SITE = pathlib.Path(sys.argv[1])
SCREENSHOTS = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
SYMBOLS = 150
PHONE, DESKTOP = 390, 1400
# What people search for, and the page that they need.
SEARCHES = {"memcached": "/documentation/alcedo/sharedcache/", "docker": "/docs/image-server/",
            "how to cache": "/documentation/alcedo/cachingexplained/"}


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def pages():
    """The paths of all articles and modules, and of evenly chosen symbols."""
    articles, symbols = [], []
    for file in sorted((SITE / "data/documentation").rglob("*.json")):
        page = json.loads(file.read_text())
        path = "/" + str(file.relative_to(SITE / "data").with_suffix("")) + "/"
        # DocC also makes pages for what a type has by a protocol.
        is_own = page["kind"] == "article" and not file.stem.endswith("-implementations")
        is_article = is_own or page["metadata"].get("symbolKind") == "module"
        (articles if is_article else symbols).append((path, page["metadata"]["title"]))
    return articles, symbols[:: max(1, len(symbols) // SYMBOLS)], len(symbols)


def address(file):
    """The path of a page on the site, for its index.html."""
    return "/" + str(file.parent / "_").removesuffix("_")


def written():
    """The paths of the pages that are not DocC's."""
    files = sorted(file.relative_to(SITE) for file in SITE.rglob("index.html"))
    return [address(file) for file in files if file.parts[:1] != ("documentation",)]


class Document(html.parser.HTMLParser):
    """The title, the links and the anchors of a page as it is without JavaScript."""

    def __init__(self, file):
        super().__init__()
        self.title, self.links, self.anchors, self.is_title = "", [], {""}, False
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.is_title = tag == "title"
        self.links += [attributes[name] for name in ["href", "src"] if name in attributes]
        self.anchors.add(attributes.get("id"))

    def handle_data(self, data):
        self.title += data if self.is_title else ""

    def handle_endtag(self, tag):
        self.is_title = False


def static_faults():
    """Titles that two pages have, and links within the site that lead nowhere."""
    documents = {address(file.relative_to(SITE)): Document(file) for file in SITE.rglob("index.html")}
    found, titles = [], {}
    for path, document in documents.items():
        if (other := titles.setdefault(document.title, path)) != path:
            found.append(f"{path}: has the title of {other}: “{document.title}”")
        for link in set(document.links):
            target = urllib.parse.urlsplit(urllib.parse.urljoin(path, link))
            if target.scheme:
                continue
            name = urllib.parse.unquote(target.path)
            if name not in documents and not (SITE / name.strip("/")).is_file():
                found.append(f"{path}: links to {link}, which does not exist")
            elif name in documents and urllib.parse.unquote(target.fragment) not in documents[name].anchors:
                found.append(f"{path}: links to {link}, which has no such anchor")
    return found


def themes(browser, root):
    """Compares text and background in the light and in the dark theme, which the system's setting selects; what went wrong."""
    found = []
    browser.open(root + "/documentation/alcedo/")
    for dark in [True, False]:
        browser.darken(dark)
        brightness = ("(() => { const sum = text => text.match(/[0-9.]+/g).slice(0, 3).reduce((a, b) => a + +b, 0);"
                      " const style = getComputedStyle(document.body);"
                      " return sum(style.color) - sum(style.backgroundColor) })()")
        if (browser.value(brightness) > 0) != dark:
            found.append(f"The {'dark' if dark else 'light'} theme has the other theme's colours.")
    return found


def search(browser, root):
    """Searches all pages; which searches don't have the page first that people need."""
    found = []
    for words, page in SEARCHES.items():
        browser.open(f"{root}/search/?q={urllib.parse.quote(words)}")
        first = browser.wait("(document.querySelector('#results a') || {}).pathname")
        if first != page:
            found.append(f"The search for “{words}” has {first} first, not {page}")
    return found


def without_scripts(browser, root, paths):
    """Pages that have no text without JavaScript."""
    browser.call("Emulation.setScriptExecutionDisabled", value=True)
    found = []
    for path in paths:
        browser.open(root + path)
        shown = browser.value("(document.querySelector('main') || document.body).innerText.length")
        if not shown or shown < 40:
            found.append(f"{path}: has {shown} characters without JavaScript")
        # A page without scripts reports no frames, for which too_wide() waits.
        browser.resize(PHONE)
        if (excess := browser.value("document.scrollingElement.scrollWidth") - PHONE) > 0:
            found.append(f"{path}: is {excess} pixels wider than a window of {PHONE} without JavaScript")
    browser.call("Emulation.setScriptExecutionDisabled", value=False)
    return found


def filter_symbols(browser, root):
    """Types into the sidebar's filter; what went wrong."""
    browser.resize(DESKTOP)
    browser.call("Emulation.setFocusEmulationEnabled", enabled=True)
    browser.open(root + "/documentation/alcedo/")
    field = "[...document.querySelectorAll('.filter__input')].find(input => input.offsetWidth > 0)"
    if not browser.wait(f"!!{field} && document.querySelectorAll('.navigator-card-item').length > 3"):
        return ["There is no filter field."]
    browser.value(f"{field}.focus()")
    browser.call("Input.insertText", text="downsampling")
    found = ("[...document.querySelectorAll('.navigator-card-item')]"
             ".some(item => item.innerText.includes('DownsamplingImageProcessor'))")
    return [] if browser.wait(found) else ["The filter does not find DownsamplingImageProcessor."]


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    root = f"http://127.0.0.1:{server.server_address[1]}"
    articles, symbols, count = pages()
    broken = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        try:
            documents = [(path, None) for path in written()]
            for path, title in documents + [("/documentation/", "Alcedo")] + articles + symbols:
                shown = browser.open(root + path)
                if not shown or title and shown.replace("\u200b", "").split() != title.split():
                    broken.append(f"{path}: shows “{shown}”, not “{title}”")
                broken += [f"{path}: {fault}" for fault in browser.faults()]
                for width in [PHONE, DESKTOP]:
                    if (excess := browser.too_wide(width)) > 0:
                        broken.append(f"{path}: is {excess} pixels wider than a window of {width}")
            broken += static_faults() + themes(browser, root) + filter_symbols(browser, root) + search(browser, root)
            broken += without_scripts(browser, root, [path for path, _ in documents + articles + symbols[:20]])
            if SCREENSHOTS:
                SCREENSHOTS.mkdir(parents=True, exist_ok=True)
                for path in ["", "docs/image-server/", "search/?q=memcached", "documentation/alcedo/",
                             "documentation/alcedo/cachingexplained/", "documentation/alcedo/imagecache/"]:
                    browser.open(root + "/" + path)
                    for width in [PHONE, DESKTOP]:
                        for dark in [False, True]:
                            name = f"{path.strip('/').replace('/', '-').replace('?', '') or 'root'}-{width}-{'dark' if dark else 'light'}.png"
                            browser.shoot(SCREENSHOTS / name, width, dark)
        finally:
            browser.process.terminate()
            browser.process.wait()
    for fault in broken:
        print(fault, file=sys.stderr)
    print(f"{len(documents)} documents, {len(articles)} articles and modules, {len(symbols)} of {count} symbols: "
          f"{len(broken)} faults.")
    return 1 if broken else 0


sys.exit(main())
