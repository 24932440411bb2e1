"""Every figure is readable: no text leaves its picture, no two texts overlap, and each has a contrast above 4.5.

Usage: pictures.py PROGRAM DIRECTORY...

Checks each SVG under the directories by its geometry, with the widths of DejaVu Sans. Also checks that it notices a
text that is moved out of a picture, one that is moved onto another, and one that is pale. PROGRAM draws another figure,
whose PNG must have its texts at the places of the SVG.
"""
import base64
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

FONT = pathlib.Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
LEAST_CONTRAST = 4.5  # WCAG 2.1, level AA
DESCENDERS = set("gjpqy,;()[]{}|_@Qµ")
GROUP = re.compile(
    r'<g transform="translate\((?P<x>[-\d.]+),(?P<y>[-\d.]+)\)(?: rotate\((?P<angle>[-\d.]+)\))?"[^>]*?fill="(?P<fill>[^"]+)"[^>]*?'
    r'font-size="(?P<size>[\d.]+)"[^>]*?text-anchor="(?P<anchor>\w+)"[^>]*>\s*<text>(?P<text>.*?)</text>', re.S)
ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#39;": "'", "&apos;": "'"}
NAMED = {"black": (0, 0, 0), "white": (255, 255, 255)}


class Font:
    """The advance widths of a TrueType font, from its tables cmap (format 12), hhea and hmtx."""

    def __init__(self, path):
        data = path.read_bytes()
        tables = {}
        for i in range(struct.unpack(">H", data[4:6])[0]):
            entry = data[12 + 16 * i:28 + 16 * i]
            tables[entry[:4].decode()] = struct.unpack(">I", entry[8:12])[0]
        number = lambda at: struct.unpack(">H", data[at:at + 2])[0]
        self.units = number(tables["head"] + 18)
        long_metrics = number(tables["hhea"] + 34)
        advance = lambda glyph: number(tables["hmtx"] + 4 * min(glyph, long_metrics - 1))
        self.advances = {}
        cmap = tables["cmap"]
        for i in range(number(cmap + 2)):
            at = cmap + struct.unpack(">I", data[cmap + 8 + 8 * i:cmap + 12 + 8 * i])[0]
            if number(at) != 12:
                continue
            for group in range(struct.unpack(">I", data[at + 12:at + 16])[0]):
                first, last, glyph = struct.unpack(">III", data[at + 16 + 12 * group:at + 28 + 12 * group])
                for code in range(first, last + 1):
                    self.advances[code] = advance(glyph + code - first) / self.units

    def width(self, text, size):
        return size * sum(self.advances.get(ord(c), 1.0) for c in text)


def colour(text):
    if text in NAMED:
        return NAMED[text]
    if text.startswith("#"):
        return tuple(int(text[i:i + 2], 16) for i in (1, 3, 5))
    return tuple(int(n) for n in re.findall(r"\d+", text)[:3])


def luminance(rgb):
    linear = [c / 255 / 12.92 if c / 255 <= 0.03928 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    high, low = sorted((luminance(a), luminance(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def pixels(png):
    """The rows of RGB values of a PNG with eight bits per channel."""
    at, data, header = 8, b"", None
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IHDR":
            header = struct.unpack(">IIBB", png[at + 8:at + 18])
        if kind == b"IDAT":
            data += png[at + 8:at + 8 + length]
        at += 12 + length
    width, height, depth, form = header
    assert depth == 8 and form in (2, 6), "a PNG of an unsupported kind"
    step = 3 if form == 2 else 4
    raw, before, rows = zlib.decompress(data), bytes(step * width), []
    for row in range(height):
        start = row * (step * width + 1)
        method, line = raw[start], bytearray(raw[start + 1:start + 1 + step * width])
        for i in range(len(line)):
            left = line[i - step] if i >= step else 0
            up, corner = before[i], before[i - step] if i >= step else 0
            guess = left + up - corner
            nearest = min((left, up, corner), key=lambda c: abs(guess - c))
            line[i] = (line[i] + (0, left, up, (left + up) // 2, nearest)[method]) & 255
        rows.append([tuple(line[i:i + 3]) if step == 3 or line[i + 3] else None for i in range(0, len(line), step)])
        before = bytes(line)
    return rows


class Picture:
    def __init__(self, svg, font):
        self.font = font
        box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
        self.width, self.height = float(box[1]), float(box[2])
        self.texts = [text for text in map(self.text_of, GROUP.finditer(svg)) if text]
        assert len(re.findall(r"<text[ >]", svg)) == len(GROUP.findall(svg)), "a text that cannot be parsed"
        self.images = [self.image_of(each) for each in re.findall(r"<image [^>]*>", svg)]

    def text_of(self, found):
        content = re.sub(r"<[^>]*>", "", found["text"])
        content = re.sub(r"&#?\w+;", lambda m: ENTITIES.get(m[0], m[0]), content)
        if not content.strip():
            return None
        size, x, y = float(found["size"]), float(found["x"]), float(found["y"])
        width = self.font.width(content, size)
        left = {"start": 0, "middle": -width / 2, "end": -width}[found["anchor"]]
        above, below = -0.76 * size, (0.24 if DESCENDERS & set(content) else 0.02) * size
        if float(found["angle"] or 0) % 360 == 270:
            box = (x + above, y - left - width, x + below, y - left)
        else:
            assert float(found["angle"] or 0) % 360 == 0, "a text that is neither level nor upright"
            box = (x + left, y + above, x + left + width, y + below)
        return content, box, colour(found["fill"])

    @staticmethod
    def image_of(tag):
        place = [float(re.search(rf" {name}='([-\d.]+)'", tag)[1]) for name in ("x", "y", "width", "height")]
        return place, pixels(base64.b64decode(re.search(r"base64,([^']+)'", tag)[1]))

    def background(self, box):
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        for (left, top, width, height), rows in self.images:
            if left <= x < left + width and top <= y < top + height:
                cell = rows[int((y - top) / height * len(rows))][int((x - left) / width * len(rows[0]))]
                return cell or (217, 217, 217)
        return 255, 255, 255

    def problems(self):
        for content, (left, top, right, bottom), fill in self.texts:
            if left < 0 or top < 0 or right > self.width or bottom > self.height:
                yield f"'{content}' leaves the picture: {left:.0f}..{right:.0f}, {top:.0f}..{bottom:.0f}"
            found = contrast(fill, self.background((left, top, right, bottom)))
            if found < LEAST_CONTRAST:
                yield f"'{content}' has a contrast of {found:.2f}"
        for i, (a, one, _) in enumerate(self.texts):
            for b, other, _ in self.texts[:i]:
                across = min(one[2], other[2]) - max(one[0], other[0])
                down = min(one[3], other[3]) - max(one[1], other[1])
                if across > 0.5 and down > 0.5:
                    yield f"'{a}' overlaps '{b}' by {across:.0f} x {down:.0f}"


def notices(svg, font):
    """Checks that problems are found if the first text is moved out of the picture, moved onto the second, or made
    pale."""
    first, second = list(GROUP.finditer(svg))[:2]
    moved = lambda x, y: svg.replace(f"translate({first['x']},{first['y']})", f"translate({x},{y})", 1)
    changed = {"leaves the picture": moved(-3000, first["y"]),
               "overlaps": moved(second["x"], second["y"]).replace(second["anchor"], first["anchor"]),
               "has a contrast": svg.replace(f'fill="{first["fill"]}"', 'fill="rgb(150,150,150)"')}
    for problem, other in changed.items():
        if not any(problem in each for each in Picture(other, font).problems()):
            yield f"a picture whose text '{first['text']}' {problem} passes"


STUDY = """
[quantity.row]
kind = "curve"
scheme = "alibi"
heads = 8
sweep = { head = [1, 2] }
distances = { to = 10 }

[figure.rows]
title = "MMMM a long title of a figure MMMM"
series = ["row"]
y = { label = "MMMM an axis MMMM" }
"""


def ink(rows, left, top, right, bottom):
    """The bounding box of the dark pixels between these edges."""
    found = [(x, y) for y in range(top, bottom) for x in range(left, right) if max(rows[y][x] or (255,)) < 128]
    return tuple(edge(n) for edge, n in ((min, [x for x, _ in found]), (max, [x for x, _ in found]),
                                         (min, [y for _, y in found]), (max, [y for _, y in found])))


def png_problems(program, font):
    """The title and the vertical label of a PNG are as long as in the SVG, at twice the size."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "s.toml").write_text(STUDY)
        subprocess.run([program, "run", "s.toml", "-o", "out", "--quiet"], cwd=folder, check=True)
        picture = Picture((folder / "out/s/rows.svg").read_text(), font)
        rows = pixels((folder / "out/s/rows.png").read_bytes())
    boxes = {content: box for content, box, _ in picture.texts if content.startswith("MMMM")}
    assert len(boxes) == 2, "the figure has different texts"
    for content, (left, top, right, bottom) in boxes.items():
        is_upright = bottom - top > right - left
        # The whole strip that contains the text, in case it is too long.
        strip = (2 * left, 0, 2 * right, len(rows)) if is_upright else (0, 2 * top, len(rows[0]), 2 * bottom)
        first, last, above, below = ink(rows, *map(int, strip))
        found = below - above if is_upright else last - first
        wanted = 2 * (bottom - top if is_upright else right - left)
        # The first and the last letter have 0.1 em of side bearing, and hinting rounds each advance.
        if abs(found - wanted) > 0.05 * wanted:
            yield f"'{content}' is {found} pixels long in the PNG, not {wanted:.0f}"


def main():
    font = Font(FONT)
    files = sorted(file for folder in sys.argv[2:] for file in pathlib.Path(folder).rglob("*.svg"))
    problems = [f"{file}: {problem}" for file in files for problem in Picture(file.read_text(), font).problems()]
    if files:
        problems += notices(files[0].read_text(), font)
    problems += png_problems(sys.argv[1], font)
    print("\n".join(problems))
    print(f"{len(files)} figures, {len(problems)} problems")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main())
