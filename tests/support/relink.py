"""Programs of a build with one file changed: the sources that read the file are compiled alone and linked in front.

The tree and the build stay as they are. The library is compiled as position-independent code, so that calls to a
function that another source may see are bound by the linker, which takes the first definition: the changed one.
"""
import functools
import json
import pathlib
import re
import shlex
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
INCLUDE = re.compile(r'^#include ["<]([^">]+)[">]', re.MULTILINE)


@functools.lru_cache(maxsize=None)
def included(path):
    """The files of the tree that this one reads, itself with them."""
    found, open_files = {path}, [path]
    while open_files:
        for name in INCLUDE.findall(open_files.pop().read_text()):
            for folder in ("src", "include"):
                each = ROOT / folder / name
                if each.is_file() and each not in found:
                    found.add(each)
                    open_files.append(each)
    return frozenset(found)


class Build:
    def __init__(self, folder):
        self.folder = folder.resolve()
        # For each source the commands that compile it, one for each instruction set: (words, folder).
        self.commands = {}
        for entry in json.loads((self.folder / "compile_commands.json").read_text()):
            place = pathlib.Path(entry["directory"])
            unit = (place / entry["file"]).resolve()
            held = [unit]
            if "-unity" in unit.name:
                held = [pathlib.Path(line[len("#include"):].strip('<>"\n')) for line in unit.open()]
            for source in held:
                self.commands.setdefault(source.resolve(), []).append((shlex.split(entry["command"]), place))

    def bring_up_to_date(self, *targets):
        subprocess.run(["ninja", "-C", self.folder, "--quiet", *targets], check=True)

    def users(self, path):
        """The sources of the library and the program that read the file."""
        if path.suffix == ".cpp":
            return [path]
        return sorted(source for source in self.commands if (ROOT / "src") in source.parents and path in included(source))

    def compile(self, path, text, place, users=None):
        """The objects of the sources that read `path`, with `text` in its place, made in the folder `place`."""
        copy = place / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text)
        objects = []
        for source in users or self.users(path):
            commands = self.commands[source]
            for words, folder in commands:
                kept = [word for i, word in enumerate(words)
                        if word not in ("-c", "-o", "-MD", "-MF", "-MQ", "-Werror")
                        and words[i - 1] not in ("-c", "-o", "-MF", "-MQ")]
                at = next(i for i, word in enumerate(kept) if word.startswith("-I"))
                kept[at:at] = [f"-I{place}/include", f"-I{place}/src"]
                if len(commands) == 1:  # a kernel would be too slow
                    # The library's checks of indices change no layout: a read beyond an end is noticed.
                    kept += ["-O1", "-D_GLIBCXX_ASSERTIONS"]
                made = place / f"{len(objects)}.o"
                subprocess.run([*kept, "-c", copy if source == path else source, "-o", made], cwd=folder, check=True,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                objects.append(made)
        return objects

    def link(self, target, objects, program):
        commands = subprocess.run(["ninja", "-C", self.folder, "-t", "commands", target], check=True, text=True,
                                  capture_output=True)
        words = shlex.split(commands.stdout.splitlines()[-1])
        words[words.index("-o") + 1] = str(program)
        # In front of the tests' own objects: these hold inline functions of the headers too, and the first one counts.
        at = next(i for i, word in enumerate(words) if word.endswith(".o"))
        words[at:at] = [*map(str, objects), "-Wl,--allow-multiple-definition"]
        if shutil.which("ld.lld"):
            words.append("-fuse-ld=lld")  # a tenth of the time
        subprocess.run(words, cwd=self.folder, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT)
