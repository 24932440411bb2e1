"""Checks inputs that no model has: hostile.py PROGRAM

Each run must end within 0.1 s of processor time and 50 MB. The message must name the file, and the line if there is
one. The exit status is 2 for an invalid configuration, 3 for an unreadable file, 1 for a configuration with an error
finding.
"""
import bz2
import gzip
import io
import json
import lzma
import os
import pathlib
import struct
import sys
import tarfile
import tempfile
import zipfile

from headers import KEYS, gguf, pair, text

SECONDS, BYTES = 0.1, 50e6
PLAIN = {"model_type": "llama", "head_dim": 64, "num_hidden_layers": 2, "rope_theta": 10000.0, "max_position_embeddings": 1024}


def archive(name):
    content = json.dumps(PLAIN).encode()
    if name == "tar":
        made = io.BytesIO()
        with tarfile.open(fileobj=made, mode="w") as tar:
            member = tarfile.TarInfo("config.json")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
        return made.getvalue()
    if name == "zip":
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w") as file:
            file.writestr("config.json", content)
        return made.getvalue()
    return {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}[name](content)


def with_value(key, value):
    return json.dumps({**PLAIN, key: value}, indent=1).encode()


def safetensors(length, header=b"{}", data=b""):
    return struct.pack("<Q", length) + header + data


def tensor(**change):
    name = "model.layers.0.self_attn.q_proj.weight"
    return json.dumps({name: {"dtype": "F16", "shape": [512, 64], "data_offsets": [0, 65536], **change}}).encode()


# The name, the bytes, the exit status, and a part of the message.
CASES = [
    ("large.json", b'{"a": "' + b"x" * 10_000_000 + b'"}', 2, "4"),
    ("many.json", b'{"a": [' + b"1," * 1_000_000 + b"1]}", 2, ":1:"),
    ("deep.json", b'{"a":' * 10_000 + b"1" + b"}" * 10_000, 2, ":1:"),
    ("deep_list.json", b'{"a":' + b"[" * 10_000 + b"]" * 10_000 + b"}", 2, ":1:"),
    ("nan.json", b'{\n "rope_theta": NaN}', 2, ":2:16: 'NaN'"),
    ("infinity.json", b'{\n "rope_theta": -Infinity}', 2, ":2:16: '-Infinity'"),
    ("overflow.json", b'{\n "rope_theta": 1e999}', 2, ":2:16: '1e999'"),
    ("duplicate.json", b'{\n "rope_theta": 1e4,\n "rope_theta": 5e5}', 2, ":3:2: duplicate key 'rope_theta'"),
    ("text.json", with_value("rope_theta", "10000"), 1, ":5:2: error: 'rope_theta'"),
    ("text_length.json", with_value("max_position_embeddings", "1024"), 1, "error: 'max_position_embeddings'"),
    ("utf16le.json", json.dumps(PLAIN).encode("utf-16-le"), 2, "UTF-16"),
    ("utf16be.json", json.dumps(PLAIN).encode("utf-16-be"), 2, "UTF-16"),
    ("utf16.json", json.dumps(PLAIN).encode("utf-16"), 2, "UTF-16"),
    ("utf32.json", json.dumps(PLAIN).encode("utf-32"), 2, "UTF-32"),
    ("latin1.json", b'{\n "model_type": "\xe9"}', 2, ":2:"),
    ("zero.json", b'{"model_type": "a\0b"}', 2, "zero byte"),
    ("empty.json", b"", 2, "empty.json"),
    ("cut.json", b'{\n "rope_theta": 1', 2, ":2:"),
    ("list.json", b"[1]", 2, ":1:1:"),
    ("zip.json", archive("zip"), 2, "archive"),
    ("gz.json", archive("gz"), 2, "archive"),
    ("bz2.json", archive("bz2"), 2, "archive"),
    ("xz.json", archive("xz"), 2, "archive"),
    ("zst.json", b"\x28\xb5\x2f\xfd" + bytes(20), 2, "archive"),
    ("tar.json", archive("tar"), 2, "tar.json"),
    ("version.gguf", gguf(99, KEYS), 2, "version"),
    ("count.gguf", gguf(3, KEYS, count=(1 << 64) - 1), 2, "byte "),
    ("count_one.gguf", gguf(3, KEYS, count=len(KEYS) + 1), 2, "byte "),
    ("array.gguf", gguf(3, [pair("a", 9, struct.pack("<IQ", 4, (1 << 64) - 1))]), 2, "byte "),
    ("array_of_texts.gguf", gguf(3, [pair("a", 9, struct.pack("<IQ", 8, 1 << 40) + text("b"))]), 2, "byte "),
    ("nested.gguf", gguf(3, [pair("a", 9, struct.pack("<IQ", 9, 1) * 10_000)]), 2, "byte "),
    ("name.gguf", gguf(3, [struct.pack("<Q", (1 << 64) - 1)]), 2, "byte "),
    ("tensors.gguf", b"GGUF" + struct.pack("<IQQ", 3, (1 << 64) - 1, 0), 2, "byte "),
    ("cut.gguf", gguf(3, KEYS)[:-3], 2, "byte "),
    ("length.safetensors", safetensors(1 << 62), 2, "length.safetensors"),
    ("beyond.safetensors", safetensors(100), 2, "beyond.safetensors"),
    ("not_json.safetensors", safetensors(4, b"{{{{"), 2, "not_json.safetensors"),
    ("offsets.safetensors", safetensors(len(tensor()), tensor()), 2, "offsets.safetensors"),
    ("overlap.safetensors", safetensors(len(tensor(data_offsets=[65536, 0])), tensor(data_offsets=[65536, 0]), bytes(65536)), 2, "overlap"),
    ("shape.safetensors", safetensors(len(tensor(shape=[1 << 62, 1 << 62])), tensor(shape=[1 << 62, 1 << 62]), bytes(65536)), 2, "shape."),
]


def run(program, folder, path):
    """The status, the output, the seconds of processor time and the bytes of memory."""
    output = folder / "output"
    with output.open("wb") as file:
        process = os.fork()
        if process == 0:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
            os.execv(program, [program, "doctor", str(path)])
        _, status, used = os.wait4(process, 0)
    return os.waitstatus_to_exitcode(status), output.read_text(errors="replace"), used.ru_utime + used.ru_stime, used.ru_maxrss * 1024


def problems_of(program, folder, path, wanted, words):
    status, output, seconds, size = run(program, folder, path)
    if status != wanted or path.name not in output or words not in output:
        yield f"{path.name}: status {status}, wanted {wanted} with '{words}': {output[:300]}"
    if seconds > SECONDS or size > BYTES:
        yield f"{path.name}: {seconds:.3f} s, {size / 1e6:.1f} MB"
    if len(output) > 20_000:
        yield f"{path.name}: {len(output)} characters of output"


def links(folder):
    """A link to itself, two links to each other, and a folder that is a link to itself."""
    names = {"self.json": "self.json", "one.gguf": "other.gguf", "other.gguf": "one.gguf", "folder": "folder", "of.safetensors": "of.safetensors"}
    for name, target in names.items():
        (folder / name).symlink_to(target)
    return [folder / name for name in names]


def main():
    program, problems = os.path.abspath(sys.argv[1]), []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, content, status, words in CASES:
            (folder / file).write_bytes(content)
            problems += problems_of(program, folder, folder / file, status, words)
        for path in links(folder):
            problems += problems_of(program, folder, path, 3, "symbolic links")
        os.mkfifo(folder / "pipe.json")
        problems += problems_of(program, folder, folder / "pipe.json", 2, "regular file")
    print("\n".join(problems))
    print(f"{len(CASES) + 6} inputs")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
