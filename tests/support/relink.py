"""Programs of a build with one file changed: only the sources that read the file are compiled, and linked before the
others.

The source tree and the build do not change. The library is compiled as position-independent code, so the linker binds
calls to functions that other sources may use, and takes the first definition: the changed one.
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
    """The files of the source tree that this file reads, including itself."""
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
    """One compilation: one source, or the sources that a unity build joins."""
    words: tuple  # the command
    folder: pathlib.Path
    sources: tuple

    def arguments(self):
        """The command without its input and output."""
        return [word for i, word in enumerate(self.words)
                if word not in ("-c", "-o", "-MD", "-MF", "-MQ", "-Werror")
                and self.words[i - 1] not in ("-c", "-o", "-MF", "-MQ")]

    def text(self, of=str):
        """A source that includes the sources, each under the name that `of` gives it."""
        return "".join(f'#include "{of(source)}"\n' for source in self.sources)


class Build:
    def __init__(self, folder):
        self.folder = folder.resolve()
        self.units = []
        for entry in json.loads((self.folder / "compile_commands.json").read_text()):
            if "farfield-recheck.p" in entry["output"]:  # a separate program, whose main() would be a second one
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
        """The units of the library and the program that read one of the files, once for each instruction set."""
        wanted = set(paths)
        return [unit for unit in self.units if any((ROOT / "src") in source.parents and wanted & included(source)
                                                   for source in unit.sources)]

    def compile_unit(self, unit, place, made, *more):
        """Compiles one unit, with the copies of sources in the folder `place` instead of the originals."""
        def copy(source):
            changed = place / source.relative_to(ROOT) if ROOT in source.parents else source
            return changed if changed.is_file() else source
        words = unit.arguments()
        at = next(i for i, word in enumerate(words) if word.startswith("-I"))
        words[at:at] = [f"-I{place}/include", f"-I{place}/src"]
        is_kernel = sum(unit.sources[0] in other.sources for other in self.units) > 1  # once for each instruction set
        if not is_kernel:  # these would be too slow
            # The library's index checks do not change the layout of types, and find reads beyond an end.
            words += ["-O1", "-D_GLIBCXX_ASSERTIONS"]
        source = made.with_suffix(".cpp")
        source.write_text(unit.text(copy))
        subprocess.run([*words, *more, "-c", source, "-o", made], cwd=unit.folder, check=True, text=True,
                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return made

    def compile(self, path, text, place, users=None):
        """The objects of the sources that read `path`, compiled in the folder `place` with `text` as its content."""
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
        # Before the tests' own objects: these also contain inline functions of the headers, and the first definition is
        # used.
        at = next(i for i, word in enumerate(words) if word.endswith(".o"))
        words[at:at] = [*map(str, objects), "-Wl,--allow-multiple-definition"]
        if shutil.which("ld.lld"):
            words.append("-fuse-ld=lld")  # a tenth of the time
        subprocess.run(words, cwd=self.folder, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT)
