"""A page in headless Chromium, driven through its debugging pipe with the standard library alone.

Chromium reads requests from descriptor 3 and writes answers and events to 4, each a JSON text that ends in a zero byte
(--remote-debugging-pipe; Chrome DevTools Protocol).
"""
import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 180  # seconds; printing hundreds of pages on a busy machine takes more than one minute


def installed():
    return next(filter(None, map(shutil.which, BROWSERS)), None)


class Browser:
    """One page. `problems` collects console warnings and errors, uncaught exceptions, and every request that is neither
    a file nor a data URL."""

    def __init__(self):
        self.problems = []
        self.loaded = False
        self.number = 0
        self.unread = b""
        self.session = None
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_read, self.requests = os.pipe()
        self.answers, theirs_write = os.pipe()
        command = [installed(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
                   "--remote-debugging-pipe", "--enable-precise-memory-info", f"--user-data-dir={self.folder.name}", "--window-size=1200,900"]
        # The shell connects the pipes to the descriptor numbers that Chromium expects.
        line = f'exec "$@" 3<&{theirs_read} 4>&{theirs_write}'
        self.process = subprocess.Popen(["/bin/bash", "-c", line, "bash", *command], pass_fds=(theirs_read, theirs_write),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_read)
        os.close(theirs_write)
        os.set_blocking(self.answers, False)

    def __enter__(self):
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")
        self.ask("Page.bringToFront")
        return self

    def __exit__(self, *_):
        self.session = None
        try:
            self.ask("Browser.close")
        except (OSError, RuntimeError):
            self.process.kill()
        self.process.wait(PATIENCE)
        os.close(self.requests)
        os.close(self.answers)
        self.folder.cleanup()

    def ask(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.requests, json.dumps(request).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]

    def open(self, page, fragment=""):
        # Goes through an empty page, because a change of only the fragment would not load the page again.
        for address in ("about:blank", pathlib.Path(page).resolve().as_uri() + fragment):
            self.loaded = False
            self.ask("Page.navigate", url=address)
            while not self.loaded:
                self._message()

    def run(self, script):
        """The value of a JavaScript expression."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, script, seconds=PATIENCE):
        """Waits until an expression is true."""
        end, failure = time.monotonic() + seconds, ""
        while time.monotonic() < end:
            try:
                if self.run(script):
                    return
            except RuntimeError as error:  # of a page that is not loaded yet
                failure = error
            time.sleep(0.02)
        raise RuntimeError(f"this does not hold after {seconds} s: {script}; {failure}")

    def click(self, selector):
        """Clicks the middle of an element, like a reader would."""
        place = self.run(f"""(() => {{ const element = document.querySelector({json.dumps(selector)});
            element.scrollIntoView({{block: 'center'}}); const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2]; }})()""")
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def press(self, key, code, text=""):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code,
                     text=text if kind == "keyDown" else "")

    def printed(self):
        """How far down the text area of each printed A4 page its lowest ink is, from 0 to 1; None without poppler's pdftoppm."""
        if not shutil.which("pdftoppm"):
            return None
        paper = {"paperWidth": 8.27, "paperHeight": 11.69, "marginTop": 0.4, "marginBottom": 0.4}
        with tempfile.TemporaryDirectory() as place:
            document = pathlib.Path(place) / "pages.pdf"
            document.write_bytes(base64.b64decode(self.ask("Page.printToPDF", **paper)["data"]))
            subprocess.run(["pdftoppm", "-r", "20", "-gray", document, f"{place}/page"], check=True)
            return [depth(image.read_bytes(), 0.4 / 11.69) for image in sorted(pathlib.Path(place).glob("page-*.pgm"))]

    def picture(self, path, whole=False):
        data = self.ask("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def _message(self):
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self.unread:
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError("the browser does not answer")
            try:
                self.unread += os.read(self.answers, 1 << 20)
            except BlockingIOError:
                time.sleep(0.005)
        text, self.unread = self.unread.split(b"\0", 1)
        message = json.loads(text)
        self._notice(message.get("method"), message.get("params", {}))
        return message

    def _notice(self, event, details):
        if event == "Page.loadEventFired":
            self.loaded = True
        elif event == "Runtime.exceptionThrown":
            self.problems.append(details["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        elif event == "Runtime.consoleAPICalled" and details["type"] in ("error", "warning", "assert"):
            self.problems.append(f"console: {details['args']}")
        elif event == "Log.entryAdded" and details["entry"]["level"] in ("error", "warning"):
            self.problems.append(details["entry"]["text"])
        elif event == "Network.requestWillBeSent":
            address = details["request"]["url"]
            if not address.startswith(("file:", "data:", "blob:", "about:")):
                self.problems.append(f"asks the network for {address}")


def depth(image, margin):
    """The lowest ink of a page in the netpbm format P5, whose margins are that share of its height."""
    _, size, _, pixels = image.split(b"\n", 3)
    width, height = map(int, size.split())
    inked = [row for row in range(height) if min(pixels[row * width:(row + 1) * width]) < 200]
    return ((max(inked, default=0) + 1) / height - margin) / (1 - 2 * margin)
