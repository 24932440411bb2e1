"""A hook of MkDocs for links from docs/ to the rest of the repository.

Figures under results/ become part of the site. If the program is built, `farfield report` writes report pages of the
recorded results, which become part of the site under record/. Other links that leave docs/ point to the repository if
`repo_url` is set, and are plain text otherwise. A link to a missing file fails the build.

If packaging/wasm has built the page for browsers, the site has it as try/index.html. The following link to it, with the
state that they show: pages of schemes, figures, commands that run a study, the first mention of a claim on a page, and
report pages.
"""
import base64
import functools
import html
import json
import logging
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import zlib

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"(!?)\[([^\]]*)\]\((\.\./[^)#\s]*)(#[^)\s]*)?\)")


PROGRAM = ROOT / "build/src/cli/farfield"
TRY = ROOT / "build-wasm/try/index.html"
RUN = re.compile(r"^```sh\n(?:\./)?farfield run (studies/\S+\.toml)\n```$", re.MULTILINE)
CLAIM = re.compile(r"`[^`\n]*`|\[[^\]]*\]\([^)]*\)|(?<![\w-])(?P<claim>[A-Z]+-\d+)(?![\w-])")
pages = tempfile.TemporaryDirectory()


def compressed(text):
    """The text compressed, in the form that farfield writes uncompressed into a link."""
    packer = zlib.compressobj(9, wbits=-15)
    content = zlib.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), wbits=-15)
    return base64.urlsafe_b64encode(packer.compress(content) + packer.flush()).decode().rstrip("=")


@functools.cache
def fragment_of(results):
    """The fragment of the address that opens the study of a results folder in the page for browsers, from its report
    page; "" if there is none."""
    report = pathlib.Path(pages.name) / results / "report.html"
    found = re.search(r'href="[^"]*(#tab=study&amp;study=[^"]*)"', report.read_text()) if report.exists() else None
    return re.sub(r"(study|content)=([\w-]+)", lambda part: f"{part[1]}={compressed(part[2])}", html.unescape(found[1])) if found else ""


@functools.cache
def studies_of_claims():
    """A map of each claim to its results folder, for claims that occur in only one study."""
    folders = {}
    for file in sorted((ROOT / "results").rglob("results.json")):
        for claim in json.loads(file.read_text())["claims"]:
            folders.setdefault(claim["id"], []).append(file.parent.relative_to(ROOT / "results"))
    return {name: places[0] for name, places in folders.items() if len(places) == 1}


def in_the_page(page, results, more=""):
    """A Markdown link from a page of the site to the study of a results folder in the page for browsers."""
    fragment = fragment_of(results)
    return f"\n\n[Open in the playground]({playground(page)}{fragment}{more})" if fragment else ""


def with_claims(markdown, page):
    """Turns the first mention of each claim, outside of headings, code and links, into a link to it in the page for
    browsers."""
    linked = set()

    def link(match):
        name = match["claim"]
        if name is None or name in linked or name not in studies_of_claims() or not fragment_of(studies_of_claims()[name]):
            return match[0]
        linked.add(name)
        return f"[{name}]({playground(page)}{fragment_of(studies_of_claims()[name])}&claim={name})"

    parts = re.split(r"(^```.*?^```$|^#[^\n]*$)", markdown, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if i % 2 else CLAIM.sub(link, part) for i, part in enumerate(parts))


def playground(page):
    return os.path.relpath("try/index.html", os.path.dirname(page.file.src_uri) or ".")


def made_pages():
    """A folder with the numbers, the figures and their pages. Without the program it has a page that says how to make
    them."""
    folder = pathlib.Path(pages.name)
    for file in [*ROOT.glob("results/**/results.json"), *ROOT.glob("results/**/*.svg")]:
        target = folder / file.relative_to(ROOT / "results")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    if PROGRAM.exists():
        links = ["--playground", "../try/index.html"] if TRY.exists() else []
        subprocess.run([PROGRAM, "report", folder, *links], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    else:
        logging.getLogger("mkdocs").info("no %s: the site has no report pages", PROGRAM)
        (folder / "index.html").write_text("<p>Build farfield, then the site: <code>farfield report results</code> makes this page.")
    return folder


def on_files(files, config):
    for figure in sorted(ROOT.glob("results/**/*.svg")):
        files.append(File.generated(config, figure.relative_to(ROOT).as_posix(), abs_src_path=str(figure)))
    if TRY.exists():
        files.append(File.generated(config, "try/index.html", abs_src_path=str(TRY)))
    folder = made_pages()
    for file in sorted([*folder.rglob("*.html"), *folder.rglob("results.json")]):
        files.append(File.generated(config, "record/" + file.relative_to(folder).as_posix(), abs_src_path=str(file)))
    return files


def other_figures(markdown):
    """A section for each recorded figure that the page does not show, by study, with the command that draws it."""
    sections = []
    for file in sorted((ROOT / "results").rglob("results.json")):
        record = json.loads(file.read_text())
        for name, figure in record.get("figures", {}).items():
            image = (file.parent / figure["svg"]).relative_to(ROOT).as_posix()
            if f"(../{image})" in markdown or not (ROOT / image).exists():
                continue
            source = f"{figure['source']}. " if figure.get("source") else ""
            sections.append(
                f"### {figure['title']}\n\n![{figure['title']}](../{image})\n\n{source}Figure `{name}` of:\n\n"
                f"```sh\nfarfield run {record['file']}\n```\n"
            )
    return "\n## All other figures\n\n" + "\n".join(sections)


def on_page_markdown(markdown, page, config, **_):
    if page.file.src_uri == "gallery.md":
        markdown += other_figures(markdown)
    folder = pathlib.Path(page.file.abs_src_path).parent
    docs = pathlib.Path(config.docs_dir)

    def rewritten(match):
        is_image, text, path, anchor = match[1], match[2], match[3], match[4] or ""
        target = pathlib.Path(os.path.normpath(folder / path))
        if target == ROOT / "results/index.html":
            return f"[{text}]({os.path.relpath(docs / 'record/index.html', folder)})"
        if target.is_relative_to(docs):
            return match[0]
        if not target.exists():
            raise PluginError(f"{page.file.src_uri}: {path} does not exist")
        inside = target.relative_to(ROOT).as_posix()
        if inside.startswith("results/") and inside.endswith(".svg"):
            results = pathlib.PurePath(inside).relative_to("results")
            more = in_the_page(page, results.parent, f"&figure={results.stem}") if is_image else ""
            return f"{is_image}[{text}]({os.path.relpath(docs / inside, folder)}){more}"
        if config.repo_url:
            return f"[{text}]({config.repo_url.rstrip('/')}/blob/main/{inside}{anchor})"
        return text if text.strip("`") == inside else f"{text} (`{inside}`)"

    return LINK.sub(rewritten, with_links(markdown, page))


def with_links(markdown, page):
    """Adds links to the page for browsers: after the heading of a scheme, after each command that runs a study, and for
    claims."""
    if not TRY.exists():
        return markdown
    markdown = with_claims(markdown, page)
    scheme = re.fullmatch(r"schemes/([a-z0-9-]+)\.md", page.file.src_uri)
    if scheme:
        markdown = re.sub(r"\A(# .*\n)", lambda found: f"{found[1]}\n[Open in the playground]({playground(page)}#tab=compare&scheme={scheme[1]})\n", markdown)
    return RUN.sub(lambda found: found[0] + in_the_page(page, pathlib.PurePath(found[1]).relative_to("studies").with_suffix("")), markdown)
