"""Opens pages of a documentation site in headless Chromium: check-docs.py SITE [SCREENSHOTS]

Chromium is driven over its debugging pipe, so that one process opens all pages. Prints each fault; fails if there is one.
"""

import base64
import functools
import http.server
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

SITE = pathlib.Path(sys.argv[1])
SCREENSHOTS = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else None
SYMBOLS = 150
PHONE, DESKTOP = 360, 1400
LONGEST_WAIT = 30


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class Browser:
    """Chromium, controlled with the DevTools protocol over two pipes."""

    def __init__(self, folder):
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def connect():
            os.dup2(to_browser, 3)
            os.dup2(from_browser, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             f"--user-data-dir={folder}", "about:blank"],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(domain + ".enable")

    def receive(self):
        while b"\0" not in self.buffer:
            part = os.read(self.input, 1 << 20)
            if not part:
                raise SystemExit("Chromium has ended.")
            self.buffer += part
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if hasattr(self, "session"):
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == message["id"]:
                return answer.get("result", {})
            self.events.append(answer)

    def value(self, expression, awaited=False):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=awaited)
        # While a page is left, there is nothing to evaluate in.
        return answer.get("result", {}).get("value")

    def wait(self, expression):
        """The expression's value once it is true; None after LONGEST_WAIT."""
        end = time.monotonic() + LONGEST_WAIT
        while time.monotonic() < end:
            if value := self.value(expression):
                return value
            time.sleep(0.05)
        return None

    def faults(self):
        """What went wrong since the last call."""
        found = []
        for event in self.events:
            detail = event.get("params", {})
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(detail["exceptionDetails"].get("exception", {}).get("description", "an exception"))
            elif event.get("method") == "Runtime.consoleAPICalled" and detail["type"] in ("error", "assert"):
                found.append(str(detail["args"][0].get("value", detail["args"][0].get("description"))))
            elif event.get("method") == "Log.entryAdded" and detail["entry"]["level"] == "error":
                found.append(detail["entry"]["text"] + " " + detail["entry"].get("url", ""))
        self.events = []
        return found

    def open(self, url):
        self.call("Page.navigate", url=url)
        return self.wait("document.readyState == 'complete' && (document.querySelector('h1') || {}).innerText")

    def resize(self, width):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)

    def darken(self, dark):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def too_wide(self, width):
        """By how many pixels the page is wider than a window of this width, which then scrolls sideways."""
        self.resize(width)
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))", awaited=True)
        return self.value("document.scrollingElement.scrollWidth") - width

    def shoot(self, path, width, dark):
        self.darken(dark)
        self.resize(width)
        time.sleep(0.7)
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot")["data"]))


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
