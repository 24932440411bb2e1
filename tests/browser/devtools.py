"""Chromium without a window, spoken to by the DevTools protocol over a pipe."""
import json
import os
import subprocess
import tempfile
import time


class Browser:
    """A page in a new profile, with everything it logs and asks of the network."""

    def __init__(self, width=1280, height=900):
        self.profile = tempfile.TemporaryDirectory()
        to_browser, self.writing = os.pipe()
        self.reading, from_browser = os.pipe()

        def connect():
            # The browser reads descriptor 3 and writes descriptor 4; copies first, since 3 may be one of the pipes.
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--disable-background-networking",
             "--enable-precise-memory-info", f"--user-data-dir={self.profile.name}", f"--window-size={width},{height}", "about:blank"],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.next_id, self.events = b"", 0, []
        self.session = None
        target = next(each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.profile.cleanup()

    def receive(self):
        while b"\0" not in self.buffer:
            read = os.read(self.reading, 1 << 20)
            if not read:
                raise RuntimeError("the browser has ended")
            self.buffer += read
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        self.next_id += 1
        message = {"id": self.next_id, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.writing, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.next_id:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def run(self, expression):
        """The value of an expression of the page, which may be a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", str(answer["exceptionDetails"])))
        return answer["result"].get("value")

    def wait(self, expression, seconds=60):
        """Waits until an expression holds, and returns the seconds that it took."""
        start = time.monotonic()
        failure = None
        while time.monotonic() - start < seconds:
            try:
                if self.run(expression):
                    return time.monotonic() - start
            except RuntimeError as error:  # of a page that is not yet there
                failure = error
            time.sleep(0.02)
        raise RuntimeError(f"this did not come to hold in {seconds} s: {expression}; {failure or ''}")

    def problems(self):
        """Errors on the console, and requests of anything but the page itself."""
        found = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append("exception: " + params["exceptionDetails"].get("exception", {}).get("description", "")[:300])
            elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append("console: " + str([each.get("value") for each in params["args"]])[:300])
            elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
                found.append("log: " + params["entry"]["text"][:300])
            elif method == "Network.requestWillBeSent" and not params["request"]["url"].startswith(("file:", "data:", "blob:", "about:")):
                found.append("request: " + params["request"]["url"][:300])
        return found
