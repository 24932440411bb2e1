"""Completion and checks of a study in an editor: editor.py FARFIELD TOMBI.

Opens the study that `farfield new` writes in the language server Tombi, which reads the schema that the study names, and edits it
as docs/howto/editor.md describes. The expected kinds, keys and meanings are those of `farfield list` and `farfield explain`.
"""
import json
import pathlib
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import time

CAPABILITIES = {"textDocument": {"completion": {"completionItem": {"documentationFormat": ["markdown"]}}, "publishDiagnostics": {}}}

# A text of the study, what is written in its place, and part of the message at its line.
MISTAKES = [("distances =", "distnaces =", '"distnaces" is not allowed'), ('"curve"', '"cruve"', 'found "cruve"'),
            ("head      = 1", 'head = "one"', "Integer"), ("expect =", "expcet =", '"expcet" is not allowed'),
            ("params =", "parmas =", '"parmas" is not allowed')]


def check(condition, *what):
    if not condition:
        raise AssertionError(what)


class Server:
    """A language server over its standard input and output (Language Server Protocol 3.17)."""

    def __init__(self, command, folder):
        self.process = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.messages = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.number = 0
        self.problems = []
        self.checked = None
        self.ask("initialize", processId=None, rootUri=folder.as_uri(), capabilities=CAPABILITIES)
        self.tell("initialized")

    def send(self, message):
        body = json.dumps({"jsonrpc": "2.0"} | message).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def read(self):
        while True:
            length = 0
            while line := self.process.stdout.readline().strip():
                name, value = line.split(b":")
                length = int(value) if name.lower() == b"content-length" else length
            if not length:
                return
            self.messages.put(json.loads(self.process.stdout.read(length)))

    def receive(self, seconds=60):
        """The next message; raises queue.Empty if there is none in time."""
        message = self.messages.get(timeout=seconds)
        if message.get("method") == "textDocument/publishDiagnostics":
            self.problems, self.checked = message["params"]["diagnostics"], (message["params"]["uri"], message["params"].get("version"))
        elif "method" in message and "id" in message:
            self.send({"id": message["id"], "result": None})
        return message

    def tell(self, method, **parameters):
        self.send({"method": method, "params": parameters})

    def ask(self, method, **parameters):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": parameters})
        while True:
            message = self.receive()
            if "method" not in message and message.get("id") == self.number:
                return message.get("result")

    def close(self):
        self.ask("shutdown")
        self.tell("exit")
        self.process.wait(10)


class Study:
    def __init__(self, server, file):
        self.server, self.uri, self.version = server, file.as_uri(), 1
        server.tell("textDocument/didOpen", textDocument={"uri": self.uri, "languageId": "toml", "version": 1, "text": file.read_text()})

    def become(self, text):
        """Sends the text and waits until the server has checked it, since the server handles several messages at the same time.
        Sends it again if the server skipped it, which happens when texts follow each other quickly."""
        for _ in range(20):
            self.version += 1
            self.server.tell("textDocument/didChange", textDocument={"uri": self.uri, "version": self.version}, contentChanges=[{"text": text}])
            try:
                while self.server.checked != (self.uri, self.version):
                    self.server.receive(3)
                return
            except queue.Empty:
                pass
        raise AssertionError("the text is not checked")

    def offers(self, text):
        """What is offered at the mark | of a text, with its explanation."""
        at = text.index("|")
        self.become(text[:at] + text[at + 1:])
        position = {"line": text.count("\n", 0, at), "character": at - text.rfind("\n", 0, at) - 1}
        found = self.server.ask("textDocument/completion", textDocument={"uri": self.uri}, position=position)
        items = found["items"] if isinstance(found, dict) else found or []
        return {item["label"].strip('"'): (item.get("documentation") or {}).get("value", "") for item in items}

    def problems(self, text):
        """(line, message) of what is marked."""
        self.become(text)
        return [(problem["range"]["start"]["line"] + 1, problem["message"]) for problem in self.server.problems]


def wait_for_schema(study, text):
    """The server reads the schema in the background after a file is opened."""
    end = time.monotonic() + 30
    while not study.offers(text):
        assert time.monotonic() < end, "nothing is offered within 30 s"
        time.sleep(0.1)


def main():
    farfield, tombi = sys.argv[1:3]
    if not shutil.which(tombi):
        print(f"{tombi} is not installed (.ci/peers installs it)")
        return 77
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        subprocess.run([farfield, "new", "mine"], cwd=folder, check=True, capture_output=True)
        text = (folder / "mine.toml").read_text()
        server = Server([tombi, "lsp"], folder)
        study = Study(server, folder / "mine.toml")

        def changed(before, after):
            assert before in text, before
            return text.replace(before, after, 1)

        kind = changed('"curve"', '"|"')
        wait_for_schema(study, kind)
        listed = json.loads(subprocess.run([farfield, "list", "quantities", "--json"], check=True, capture_output=True, text=True).stdout)
        offered = study.offers(kind)
        check(set(offered) == {each["name"] for each in listed}, "kinds", offered)
        for each in listed:
            check(offered[each["name"]].startswith(each["summary"]), "the meaning of", each["name"], offered[each["name"]])
        keys = study.offers(changed("distances = { from = 0, to = 511 }", "d|"))
        check({"distances", "doc"} <= set(keys) and all(key.startswith("d") for key in keys), "keys", keys)
        check(keys["distances"].startswith("values of n"), "the meaning of distances", keys["distances"])
        verdicts = set(study.offers(changed('expect = "confirmed"', 'expect = "|"')))
        check({"confirmed", "refuted", "depends", "undecided"} <= verdicts, "verdicts", verdicts)
        check(set(study.offers(changed("[figure.bias]", "[fi|]"))) == {"figure"}, "tables")
        check(study.problems(text) == [], "problems of the study as written", study.problems(text))
        for before, after, message in MISTAKES:
            wrong = changed(before, after)
            line = wrong[:wrong.index(after)].count("\n") + 1
            found = study.problems(wrong)
            check(found and {at for at, _ in found} == {line} and any(message in words for _, words in found), "a mistake", after, found)
        server.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
