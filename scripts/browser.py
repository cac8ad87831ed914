"""Chromium without a window, for the checks that open pages in it."""

import base64
import json
import os
import subprocess
import time

LONGEST_WAIT = 30


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
            response = self.receive()
            if response.get("id") == message["id"]:
                return response.get("result", {})
            self.events.append(response)

    def value(self, expression, awaited=False):
        response = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=awaited)
        # While a page is left, there is nothing to evaluate in.
        return response.get("result", {}).get("value")

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
