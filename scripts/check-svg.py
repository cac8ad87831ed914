"""Opens the SVGs of Tests/Fixtures/sanitizer/bypasses.json in headless Chromium, as `alcedo serve` sends them but without
its headers: check-svg.py ALCEDO

Each tries to run a script or to load something. Fails if one of the results does, as a document or in a page, and
also if few of the originals do, as then the check finds nothing.
"""

import base64
import http.server
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

from browser import Browser

ALCEDO = sys.argv[1]
CASES = json.loads((pathlib.Path(__file__).parents[1] / "Tests/Fixtures/sanitizer/bypasses.json").read_text())
# Every so many originals are opened, and at least one in so many of those has to do something.
STEP, FEWEST = 5, 4

originals = [base64.b64decode(case[7:]) if case.startswith("base64,") else case.encode() for case in CASES]
results = {}


class Handler(http.server.BaseHTTPRequestHandler):
    """Sends originals, results, and pages that contain results; nothing but a type and a length is in the header."""

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        folder, _, name = self.path.strip("/").partition("/")
        number = int(name[:-4]) if name.endswith(".svg") and name[:-4].isdigit() else None
        if number is None or folder not in ("original", "document", "page"):
            return self.send_error(404)
        body = originals[number] if folder == "original" else results[number]
        if folder == "page":
            body = b"<!doctype html><meta charset=utf-8><body>" + body
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if folder == "page" else "image/svg+xml")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


def sanitize(server, origin):
    for number in range(len(originals)):
        try:
            with urllib.request.urlopen(f"{server}/unsafe/plain/{origin}/original/{number}.svg", timeout=60) as response:
                # Those that are no SVG to it are converted to pixels.
                if response.headers["Content-Type"] == "image/svg+xml":
                    results[number] = response.read()
        except urllib.error.HTTPError as error:
            if error.code != 422:
                raise


def deeds(browser, url):
    """What a document does by itself, and when each of its elements is clicked, focused and passed over."""
    browser.call("Page.navigate", url="about:blank")
    browser.events = []
    browser.call("Page.navigate", url=url)
    browser.wait("document.readyState == 'complete'")
    time.sleep(0.03)
    browser.call("Runtime.evaluate", expression="""
        for (const element of document.querySelectorAll('*')) {
            for (const kind of ['mouseover', 'focus', 'focusin', 'pointerover', 'wheel', 'scroll', 'click'])
                element.dispatchEvent(new MouseEvent(kind, {cancelable: true}))
            if (element.focus) element.focus()
        }""")
    time.sleep(0.05)
    browser.value("1")
    found = set()
    for event in browser.events:
        detail = event.get("params", {})
        match event.get("method"):
            case "Runtime.bindingCalled":
                found.add("runs a script")
            case "Network.requestWillBeSent":
                address = detail["request"]["url"]
                if not address.startswith((url, "data:image/png")) and not address.endswith("/favicon.ico"):
                    found.add("requests " + address[:80])
            case "Page.frameRequestedNavigation" if not detail["url"].startswith(url):
                found.add("leads to " + detail["url"][:80])
            case "Page.windowOpen":
                found.add("opens " + detail["url"][:80])
    return sorted(found)


def check(origin, folder):
    browser = Browser(folder)
    browser.call("Runtime.addBinding", name="fired")
    browser.call("Page.addScriptToEvaluateOnNewDocument", source="window.alert = () => fired('')")
    browser.call("Network.setCacheDisabled", cacheDisabled=True)
    opened = range(0, len(originals), STEP)
    active = sum(bool(deeds(browser, f"{origin}/original/{number}.svg")) for number in opened)
    print(f"{active} of {len(opened)} originals run or load something.")
    faults = 0 if active * FEWEST >= len(opened) else 1
    for kind in ("document", "page"):
        for number in results:
            if found := deeds(browser, f"{origin}/{kind}/{number}.svg"):
                faults += 1
                print(f"{kind} {number} {', '.join(found)}:", CASES[number], results[number].decode(), sep="\n  ")
    browser.process.kill()
    print(f"{len(results)} results as documents and in pages: {faults} faults.")
    return faults


with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
    own, port = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler), free_port()
    threading.Thread(target=own.serve_forever, daemon=True).start()
    origin = f"http://127.0.0.1:{own.server_port}"
    serve = subprocess.Popen(
        [ALCEDO, "serve", "--bind", f"127.0.0.1:{port}", "--cache-folder", folder + "/cache",
         "--allow-loopback-source-addresses", "true"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env={**os.environ, "ALCEDO_SANITIZE_SVG": "true"})
    try:
        if "listening" not in (line := serve.stdout.readline()):
            sys.exit(line)
        threading.Thread(target=serve.stdout.read, daemon=True).start()
        sanitize(f"http://127.0.0.1:{port}", origin)
        sys.exit(1 if check(origin, folder + "/chromium") else 0)
    finally:
        serve.kill()
