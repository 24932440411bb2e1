"""Compiles many changes of a module at once, with a run-time switch that selects one of them.

clang gives the extents of the expressions around a change. The innermost one that compiles as `(farfield_change(17) ?
(changed) : (original))` is used, or the return statement around it. A constant declared `constexpr` becomes `const` if
that compiles. Changes that cannot be switched are compiled separately.
"""
import bisect
import collections
import concurrent.futures
import itertools
import pathlib
import re
import subprocess
import sys

from clang import cindex

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import relink  # noqa: E402
KINDS = cindex.CursorKind
FUNCTIONS = (KINDS.FUNCTION_DECL, KINDS.CXX_METHOD, KINDS.CONSTRUCTOR, KINDS.FUNCTION_TEMPLATE, KINDS.CONVERSION_FUNCTION)
CLASSES = (KINDS.CLASS_DECL, KINDS.STRUCT_DECL, KINDS.CLASS_TEMPLATE)
ERROR = re.compile(r"^([^\s:][^:\n]*):(\d+):(\d+): +(fatal error|error|note|required from)\b", re.MULTILINE)

# FARFIELD_CHANGE is the number of the active change. FARFIELD_ASKED is a file with a byte for each change, which is set
# when the change is reached. In constant evaluation the original is used; elsewhere a switched constant is a compile
# error, which is how it is found.
HEADER = """#pragma once
extern unsigned farfield_active;
extern unsigned char *farfield_asked;
inline bool farfield_change(unsigned number) {
    if (farfield_asked[number] == 0) farfield_asked[number] = 1;
    return number == farfield_active;
}
constexpr bool farfield_maybe(unsigned number) { return !__builtin_is_constant_evaluated() && farfield_change(number); }
"""
DEFINITIONS = """#include <cstdlib>
#include <fcntl.h>
#include <sys/mman.h>
static unsigned char unread[COUNT];
unsigned farfield_active = COUNT;
unsigned char *farfield_asked = unread;
[[gnu::constructor(101)]] static void read_environment() {
    if (const char *number = std::getenv("FARFIELD_CHANGE")) farfield_active = std::strtoul(number, nullptr, 10);
    const char *name = std::getenv("FARFIELD_ASKED");
    const int file = name == nullptr ? -1 : open(name, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    farfield_asked = static_cast<unsigned char *>(mmap(nullptr, COUNT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
}
"""

Region = collections.namedtuple("Region", "begin end what changes")


def errors_in(tree):
    return [one for one in tree.diagnostics if one.severity >= cindex.Diagnostic.Error]


def kind_of(cursor):
    """The kind of a cursor. A kind that the bindings lack but their library has, such as that of __builtin_bit_cast, is
    taken as an expression."""
    try:
        return cursor.kind
    except ValueError:
        return KINDS.UNEXPOSED_EXPR


class Place:
    """The expressions in which a change may be switched, the narrowest first."""

    def __init__(self, change, source):
        self.text = change.text
        self.begin, self.end = (len(source[:at].encode()) for at in (change.begin, change.end))
        self.around = set()  # (end - begin, begin, end, is a return statement)
        self.constant = None  # (begin, end of the word constexpr, its replacement)
        self.in_constexpr = False  # the body of a constexpr function
        self.is_reference = False  # the negation of what a function returns by reference
        self.fate = "switched"  # or "alone", "no build"

    def fits(self, around, source):
        """Whether a switch of this expression leaves the rest of the source as it is."""
        _, begin, end, is_return = around
        # `a && b && c` with its first operator changed is `a || (b && c)`, so `a && b` alone is too narrow.
        is_too_narrow = self.text == "||" and re.match(rb"\s*&&", source[end:])
        # A switch between a negation and a variable is a temporary value, which no reference may outlive.
        is_temporary = self.is_reference and not is_return and (begin, end) == (self.begin, self.end)
        return not is_too_narrow and not is_temporary


class Switches:
    """The sources with all changes in them. `fate[i]` says whether change i is in them, is compiled alone or does not
    build."""

    def __init__(self, build, room, changes, folder):
        self.build, self.folder = build, folder
        self.sources = {change.file: (ROOT / change.file).read_bytes() for change in changes}
        self.places = [Place(change, self.sources[change.file].decode()) for change in changes]
        self.files = collections.defaultdict(list)
        self.own_errors = {}  # clang's errors for each unit without changes
        for number, change in enumerate(changes):
            self.files[change.file].append(number)
        paths = [ROOT / name for name in self.files]
        # clang reads the module's own units, once for all instruction sets. A header that none of them includes is read
        # through another unit.
        users = build.users(*paths)
        own = {unit.sources: unit for unit in users
               if any((ROOT / "src" / room) in each.parents for each in unit.sources)}
        for path in paths:
            if not any(path in relink.included(each) for unit in own.values() for each in unit.sources):
                own |= {unit.sources: unit for unit in build.users(path)[:1]}
        # Inline code of headers in other units is not covered by the module's tests.
        self.units = [unit for unit in users if unit.sources in own]
        for number, unit in enumerate(own.values()):
            self.read(unit, number)
        for name, numbers in self.files.items():
            for place in (self.places[number] for number in numbers):
                place.around = sorted(each for each in place.around if place.fits(each, self.sources[name]))
                if not place.around:
                    place.fate = "alone"
        for number, unit in enumerate(own.values()):
            self.settle(lambda: self.clang_errors(unit, number), f"unit {number}")

    def fate(self, number):
        return self.places[number].fate

    def is_certain(self, number):
        """Whether the switch covers all effects of the change. This is not the case in a function that constant
        expressions may use."""
        return not self.places[number].in_constexpr

    # Reading sources with clang.

    def parse(self, unit, number, texts):
        words = [word for word in unit.arguments()[1:]
                 if word[:2] in ("-D", "-I", "-m") or word.startswith(("-isystem", "-std"))]
        words = [f"-I{(unit.folder / word[2:]).resolve()}" if word.startswith("-I") else word for word in words]
        path = self.folder / f"parsed{number}.cpp"
        (self.folder / "farfield_change.hpp").write_text(HEADER)
        path.write_text(f'#include "{self.folder}/farfield_change.hpp"\n' + unit.text())
        words += ["-w", "-Wno-c++11-narrowing", "-ferror-limit=0", "-Wno-error"]
        return cindex.Index.create().parse(str(path), words, texts)

    def read(self, unit, number):
        names = {str(ROOT / name): name for name in self.files}
        tree = self.parse(unit, number, [])
        self.own_errors[number] = {one.spelling for one in errors_in(tree)}
        sorted_changes = {name: sorted((self.places[i].begin, i) for i in numbers)
                          for name, numbers in self.files.items()}

        def visit(cursor, in_constexpr, in_function, by_reference):
            for child in cursor.get_children():
                kind = kind_of(child)
                start, end = child.extent.start, child.extent.end
                name = names.get(start.file.name if start.file else None)
                if name is None:
                    if kind == KINDS.NAMESPACE and kind_of(cursor) == KINDS.TRANSLATION_UNIT:
                        continue
                    if kind_of(cursor) != KINDS.TRANSLATION_UNIT:
                        visit(child, in_constexpr, in_function, by_reference)
                    continue
                if end.file is None or end.file.name != start.file.name:
                    continue
                begin, end = start.offset, end.offset
                around = sorted_changes[name]
                inside = [self.places[i] for at, i in around[bisect.bisect_left(around, (begin, -1)):
                                                             bisect.bisect_left(around, (end, -1))]
                          if self.places[i].end <= end]
                if not inside:
                    continue
                child_in_constexpr, child_in_function, child_by_reference = in_constexpr, in_function, by_reference
                source = self.sources[name]
                if kind in FUNCTIONS:
                    body = next((each.extent.start.offset for each in child.get_children()
                                 if kind_of(each) == KINDS.COMPOUND_STMT), end)
                    child_in_constexpr = re.search(rb"\bconst(expr|eval)\b", source[begin:body]) is not None
                    child_in_function = True
                    child_by_reference = b"&" in source[begin:body].partition(b"(")[0]
                elif kind in CLASSES:
                    child_in_function = False
                elif kind == KINDS.LAMBDA_EXPR:
                    child_by_reference = False
                elif kind in (KINDS.VAR_DECL, KINDS.DECL_STMT) or kind == KINDS.UNEXPOSED_DECL:
                    statement = re.match(rb"(?:(?:static|inline) )*constexpr\b", source[begin:end])
                    if statement:
                        at = begin + statement.end() - len("constexpr")
                        in_class = kind_of(cursor) in CLASSES
                        is_static = b"static" in statement.group()
                        is_plain = is_static or in_constexpr or not in_function
                        text = "inline const" if in_class else "const" if is_plain else "static const"
                        for place in inside:
                            place.constant = (at, at + len("constexpr"), text, begin, end)
                elif kind.is_expression() or kind == KINDS.RETURN_STMT:
                    is_return = kind == KINDS.RETURN_STMT
                    for place in inside:
                        # Excludes the operator's own name, whose extent reaches to the end if C++20 rewrites != as ==.
                        is_operator = begin == place.begin and source[begin:begin + 1] in b"=!<>&|+-*/"
                        if not is_operator and kind not in (KINDS.DECL_REF_EXPR, KINDS.INIT_LIST_EXPR):
                            place.around.add((end - begin, begin, end, is_return))
                for place in inside:
                    place.in_constexpr = place.in_constexpr or child_in_constexpr
                    place.is_reference = child_by_reference and place.text.startswith("!(")
                visit(child, child_in_constexpr, child_in_function, child_by_reference)

        visit(tree.cursor, False, False, False)

    def clang_errors(self, unit, number):
        texts = [(str(ROOT / name), self.rendered(name)[0].decode()) for name in self.files]
        tree = self.parse(unit, number, texts)  # keeps the tree alive while its errors are used
        for one in errors_in(tree):
            if one.spelling not in self.own_errors[number]:
                yield [(each.location.file.name if each.location.file else "", each.location.offset, each.spelling)
                       for each in (one, *one.children)]

    # Writing sources with switches.

    def rendered(self, name):
        """The text of a source with switches, and the regions of it that belong to changes."""
        source, pieces, regions, length = self.sources[name], [], [], 0
        nodes, words = collections.defaultdict(list), {}
        for number in self.files[name]:
            place = self.places[number]
            if place.fate != "switched":
                continue
            _, begin, end, is_return = place.around[0]
            nodes[begin, -end, is_return].append(number)
            if place.constant:
                words[place.constant[0]] = place.constant

        def put(text):
            nonlocal length
            pieces.append(text)
            length += len(text)

        waiting = collections.deque(sorted(nodes.items()))
        starts = {}

        def copy(begin, end):
            """Copies the original text with the nodes inside it."""
            while True:
                word = min((at for at in words if begin <= at < end), default=end)
                node = waiting[0][0] if waiting and waiting[0][0][0] < end else None
                if word < end and (node is None or word < node[0]):
                    at, after, text, first, last = words.pop(word)
                    put(source[begin:at])
                    starts[last] = (length - (at - first), [i for i in self.files[name] if self.places[i].constant
                                                            and self.places[i].constant[0] == at])
                    put(text.encode())
                    begin = after
                elif node is not None:
                    if -node[1] > end:  # part of a macro
                        for number in waiting.popleft()[1]:
                            self.places[number].fate = "alone"
                        continue
                    put(source[begin:node[0]])
                    begin = put_node(*waiting.popleft())
                else:
                    break
            for last in [last for last in starts if begin <= last <= end]:
                first, changes = starts.pop(last)
                regions.append(Region(first, length + last - begin, "constant", tuple(changes)))
            put(source[begin:end])

        def put_node(node, numbers):
            begin, end, is_return = node[0], -node[1], node[2]
            whole = length
            put(b"" if is_return else b"(")
            for number in numbers:
                place, head = self.places[number], length
                function = "farfield_maybe" if place.in_constexpr else "farfield_change"
                put(f"if ({function}({number})) ".encode() if is_return else f"{function}({number}) ? (".encode())
                put(source[begin:place.begin])
                at = length
                put(place.text.encode())
                put(source[place.end:end])
                regions.append(Region(at - (place.begin - begin), length, "changed", (number,)))
                put(b"; else " if is_return else b") : ")
                regions.append(Region(head, length, "head", (number,)))
            put(b"" if is_return else b"(")
            copy(begin, end)
            put(b"" if is_return else b"))")
            regions.append(Region(whole, length, "node", tuple(numbers)))
            return end

        copy(0, len(source))
        return b"".join(pieces), regions

    def climb(self, number):
        place = self.places[number]
        place.around = place.around[1:]
        if not place.around:
            place.fate = "alone"

    def blame(self, errors, texts):
        """Moves the switches that the errors name to a wider expression, or removes them. Returns whether any error
        could be attributed."""
        names = {}
        for name in self.files:
            names[str(ROOT / name)] = names[str(self.folder / name)] = name
        done = set()

        def region_at(path, offset):
            name = names.get(path)
            found = [each for each in texts[name][1] if each.begin <= offset < each.end] if name else []
            return min(found, key=lambda each: each.end - each.begin, default=None)

        def near(path, offset):
            name = names.get(path)
            if not name:
                return None
            line = texts[name][0].rfind(b"\n", 0, offset), texts[name][0].find(b"\n", offset)
            return next((each for each in texts[name][1] if line[0] < each.begin < line[1]), None)

        def required_from(path, offset):
            """Of a place that instantiates a template: the changed text around it, or the switches of what it passes."""
            name, around = names.get(path), region_at(path, offset)
            if not name:
                return []
            if around and around.what == "changed":
                return [around._replace(what="alone")]
            text, depth, end = texts[name][0], 0, offset
            while end < len(text) and not (depth <= 0 and text[end:end + 1] == b";"):  # the rest of the statement
                depth += (text[end:end + 1] in (b"(", b"{")) - (text[end:end + 1] in (b")", b"}"))
                end += 1
            return [each for each in texts[name][1] if offset <= each.begin < end and each.what == "node"]

        for error in errors:
            told = [each for each in error if each[2] != "required from"]
            found = [region_at(path, offset) for path, offset, _ in told]
            region = found[0] if found[0] and found[0].what == "changed" else None
            region = region or next((each for each in found[1:] if each and each.what == "constant"), None)
            region = region or next((each for each in found if each), None)
            region = region or next((each for path, offset, _ in told if (each := near(path, offset))), None)
            blamed = [region] if region else next(
                (each for path, offset, what in error
                 if what == "required from" and (each := required_from(path, offset))), [])
            for region, number in ((region, number) for region in blamed if region not in done
                                   for number in region.changes):
                done.add(region)
                place = self.places[number]
                if place.fate != "switched":
                    continue
                if region.what == "changed":
                    place.fate = "no build"
                elif region.what in ("constant", "alone"):
                    place.fate = "alone"
                else:
                    self.climb(number)
        return bool(done)

    def settle(self, find_errors, name):
        """Repeats until there are no errors."""
        for turn in itertools.count():
            texts = {each: self.rendered(each) for each in self.files}
            errors = list(find_errors())
            if not errors:
                return
            if not self.blame(errors, texts) or turn > 50:
                self.give_up(name, errors)

    def give_up(self, name, errors):
        """Removes the changes of the sources with errors one by one or, if these have no switches left, all changes."""
        if all(place.fate != "switched" for place in self.places):
            sys.exit(f"{name} does not compile without any change: {errors[0]}")
        print(f"{name}: no single change explains {errors[0]}", file=sys.stderr)
        paths = {path for error in errors for path, *_ in error}
        blamed = [i for file, numbers in self.files.items() for i in numbers
                  if paths & {str(ROOT / file), str(self.folder / file)} and self.places[i].fate == "switched"]
        for number in blamed or range(len(self.places)):
            self.places[number].fate = "alone"

    # Compilation.

    def compile(self, jobs):
        """The objects of the units."""
        (self.folder / "farfield_change.hpp").write_text(HEADER)
        (self.folder / "farfield_change.cpp").write_text(DEFINITIONS.replace("COUNT", str(len(self.places) + 1)))
        made = self.folder / "farfield_change.o"
        subprocess.run(["c++", "-O1", "-fPIC", "-c", self.folder / "farfield_change.cpp", "-o", made], check=True)
        objects = []

        def errors_of(numbered):
            number, unit = numbered
            try:
                objects.append(self.build.compile_unit(unit, self.folder, self.folder / f"{number}.o", "-include",
                                                       self.folder / "farfield_change.hpp", "-Wno-narrowing", "-w",
                                                       "-fdiagnostics-color=never"))
                return []
            except subprocess.CalledProcessError as failed:
                return self.gcc_errors(failed.stdout)

        def compile_all():
            objects.clear()
            for name in self.files:
                copy = self.folder / name
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(self.rendered(name)[0])
            with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
                return list(itertools.chain(*pool.map(errors_of, enumerate(self.units))))

        self.settle(compile_all, "g++")
        return [made, *objects]

    def gcc_errors(self, output):
        errors, required = [], []
        for path, line, column, severity in (found.groups() for found in ERROR.finditer(output)):
            text = pathlib.Path(path).read_bytes() if pathlib.Path(path).is_file() else b""
            starts = [0, *(found.end() for found in re.finditer(rb"\n", text))]
            at = (path, (starts[int(line) - 1] if int(line) <= len(starts) else 0) + int(column) - 1, severity)
            if severity == "required from":  # before the error
                required.append(at)
            elif severity == "note" and errors:
                errors[-1].append(at)
            else:
                errors.append([at, *required])
            if severity != "required from":
                required = []
        return errors or [[("", 0, output[:2000])]]
