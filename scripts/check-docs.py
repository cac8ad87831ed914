"""Opens pages of a documentation site in headless Chromium: check-docs.py SITE [SCREENSHOTS]

Chromium is driven over its debugging pipe, so that one process opens all pages. Prints each fault; fails if there is one.
"""

import functools
import http.server
import json
import pathlib
import sys
import tempfile
import threading

from browser import Browser

SITE = pathlib.Path(sys.argv[1])
SCREENSHOTS = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
SYMBOLS = 150
PHONE, DESKTOP = 360, 1400


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def pages():
    """The paths of all articles and modules, and of evenly chosen symbols."""
    articles, symbols = [], []
    for file in sorted((SITE / "data/documentation").rglob("*.json")):
        page = json.loads(file.read_text())
        path = "/" + str(file.relative_to(SITE / "data").with_suffix("")) + "/"
        is_article = page["kind"] == "article" or page["metadata"].get("symbolKind") == "module"
        (articles if is_article else symbols).append((path, page["metadata"]["title"]))
    return articles, symbols[:: max(1, len(symbols) // SYMBOLS)], len(symbols)


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
    """Types into the sidebar's filter, which is the site's search; what went wrong."""
    browser.resize(DESKTOP)
    browser.call("Emulation.setFocusEmulationEnabled", enabled=True)
    browser.open(root + "/documentation/alcedo/")
    field = "[...document.querySelectorAll('.filter__input')].find(input => input.offsetWidth > 0)"
    if not browser.wait(f"!!{field} && document.querySelectorAll('.navigator-card-item').length > 3"):
        return ["There is no search field."]
    browser.value(f"{field}.focus()")
    browser.call("Input.insertText", text="downsampling")
    found = ("[...document.querySelectorAll('.navigator-card-item')]"
             ".some(item => item.innerText.includes('DownsamplingImageProcessor'))")
    return [] if browser.wait(found) else ["The search does not find DownsamplingImageProcessor."]


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=SITE))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    root = f"http://127.0.0.1:{server.server_address[1]}"
    articles, symbols, count = pages()
    broken = []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = Browser(folder)
        try:
            for path, title in [("/", "Alcedo"), ("/documentation/", "Alcedo")] + articles + symbols:
                shown = browser.open(root + path)
                if not shown or title and shown.replace("\u200b", "").split() != title.split():
                    broken.append(f"{path}: shows “{shown}”, not “{title}”")
                broken += [f"{path}: {fault}" for fault in browser.faults()]
                for width in [PHONE, DESKTOP]:
                    if (excess := browser.too_wide(width)) > 0:
                        broken.append(f"{path}: is {excess} pixels wider than a window of {width}")
            broken += themes(browser, root) + search(browser, root)
            if SCREENSHOTS:
                SCREENSHOTS.mkdir(parents=True, exist_ok=True)
                for path in ["", "alcedo/", "alcedo/cachingexplained/", "alcedo/imagecache/", "alcedo/cheatsheet/"]:
                    browser.open(root + "/documentation/" + path)
                    for width in [PHONE, DESKTOP]:
                        for dark in [False, True]:
                            name = f"{path.strip('/').replace('/', '-') or 'root'}-{width}-{'dark' if dark else 'light'}.png"
                            browser.shoot(SCREENSHOTS / name, width, dark)
        finally:
            browser.process.terminate()
            browser.process.wait()
    for fault in broken:
        print(fault, file=sys.stderr)
    print(f"{len(articles)} articles and modules, {len(symbols)} of {count} symbols: {len(broken)} faults.")
    return 1 if broken else 0


sys.exit(main())
