"""Reads the committed tensors of studies/implementations with Python's standard library."""
import array
import json
import struct

BYTES = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2, "I64": 8, "BOOL": 1}


class File:
    """A .safetensors file: names, shapes, and values as Python numbers."""

    def __init__(self, path):
        self.raw = bytearray(path.read_bytes())
        size = struct.unpack_from("<Q", self.raw)[0]
        self.start = 8 + size
        self.header = json.loads(self.raw[8:self.start])
        self.header.pop("__metadata__", None)

    def names(self):
        return sorted(self.header)

    def shape(self, name):
        return self.header[name]["shape"]

    def type(self, name):
        return self.header[name]["dtype"]

    def span(self, name):
        begin, end = self.header[name]["data_offsets"]
        return self.start + begin, self.start + end

    def bytes(self, name):
        begin, end = self.span(name)
        return bytes(self.raw[begin:end])

    def numbers(self, name):
        """The values in row-major order."""
        raw, kind = self.bytes(name), self.type(name)
        if kind == "BF16":  # the upper half of a float32
            return list(struct.unpack(f"<{len(raw) // 2}f", b"".join(b"\0\0" + raw[at:at + 2] for at in range(0, len(raw), 2))))
        if kind == "F16":
            return list(struct.unpack(f"<{len(raw) // 2}e", raw))
        return list(array.array({"F64": "d", "F32": "f", "I64": "q", "BOOL": "B"}[kind], raw))

    def rows(self, name):
        width = self.shape(name)[-1]
        flat = self.numbers(name)
        return [flat[at:at + width] for at in range(0, len(flat), width)]
