"""Programs of a build with one file changed: the sources that read the file are compiled alone and linked in front.

The tree and the build stay as they are. The library is compiled as position-independent code, so that calls to a
function that another source may see are bound by the linker, which takes the first definition: the changed one.
"""
import dataclasses
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


@dataclasses.dataclass(frozen=True)
class Unit:
    """One compilation: a source of the tree, or those that a unity build joins."""
    words: tuple  # the command
    folder: pathlib.Path
    sources: tuple

    def arguments(self):
        """The command without what it reads and writes."""
        return [word for i, word in enumerate(self.words)
                if word not in ("-c", "-o", "-MD", "-MF", "-MQ", "-Werror")
                and self.words[i - 1] not in ("-c", "-o", "-MF", "-MQ")]

    def text(self, of=str):
        """A file that reads the sources, each under the name that `of` gives it."""
        return "".join(f'#include "{of(source)}"\n' for source in self.sources)


class Build:
    def __init__(self, folder):
        self.folder = folder.resolve()
        self.units = []
        for entry in json.loads((self.folder / "compile_commands.json").read_text()):
            if "farfield-recheck.p" in entry["output"]:  # a program of its own, whose main() would be a second one
                continue
            place = pathlib.Path(entry["directory"])
            unit = (place / entry["file"]).resolve()
            held = [unit]
            if "-unity" in unit.name:
                held = [pathlib.Path(line[len("#include"):].strip('<>"\n')) for line in unit.open()]
            self.units.append(Unit(tuple(shlex.split(entry["command"])), place, tuple(each.resolve() for each in held)))

    def bring_up_to_date(self, *targets):
        subprocess.run(["ninja", "-C", self.folder, "--quiet", *targets], check=True)

    def users(self, *paths):
        """The units of the library and the program that read one of the files, each once for each instruction set."""
        wanted = set(paths)
        return [unit for unit in self.units if any((ROOT / "src") in source.parents and wanted & included(source)
                                                   for source in unit.sources)]

    def compile_unit(self, unit, place, made, *more):
        """Compiles one unit with the copies of sources that lie in the folder `place`."""
        def copy(source):
            changed = place / source.relative_to(ROOT) if ROOT in source.parents else source
            return changed if changed.is_file() else source
        words = unit.arguments()
        at = next(i for i, word in enumerate(words) if word.startswith("-I"))
        words[at:at] = [f"-I{place}/include", f"-I{place}/src"]
        is_kernel = sum(unit.sources[0] in other.sources for other in self.units) > 1  # once for each instruction set
        if not is_kernel:  # which would be too slow
            # The library's checks of indices change no layout: a read beyond an end is noticed.
            words += ["-O1", "-D_GLIBCXX_ASSERTIONS"]
        source = made.with_suffix(".cpp")
        source.write_text(unit.text(copy))
        subprocess.run([*words, *more, "-c", source, "-o", made], cwd=unit.folder, check=True, text=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return made

    def compile(self, path, text, place, users=None):
        """The objects of the sources that read `path`, with `text` in its place, made in the folder `place`."""
        copy = place / path.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(text)
        alone = [dataclasses.replace(unit, sources=(source,)) for unit in self.users(path) for source in unit.sources
                 if path in included(source) and (not users or source in users)]
        return [self.compile_unit(unit, place, place / f"{number}.o") for number, unit in enumerate(alone)]

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
