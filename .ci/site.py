"""A hook of MkDocs: links from docs/ to the rest of the repository.

Figures under results/ become part of the site, and so do the report pages, which `farfield report` makes of the recorded numbers if the program is
built, under record/. Other links that leave docs/ point to the repository if `repo_url` is set, and are
plain text otherwise. A link to a file that does not exist fails the build.

If packaging/wasm has built the page for browsers, the site has it as try/index.html, and pages of schemes, commands that run a study,
report pages and their claims link to it with its state.
"""
import json
import logging
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src/browser"))
from link import fragment_of, runs_in_the_page  # noqa: E402
LINK = re.compile(r"(!?)\[([^\]]*)\]\((\.\./[^)#\s]*)(#[^)\s]*)?\)")


PROGRAM = ROOT / "build/src/cli/farfield"
TRY = ROOT / "build-wasm/try/index.html"
RUN = re.compile(r"^```sh\n(?:\./)?farfield run (studies/\S+\.toml)\n```$", re.MULTILINE)
pages = tempfile.TemporaryDirectory()


def in_the_page(study):
    """The fragment that opens a study in the page for browsers; None if it cannot run there."""
    if not TRY.exists() or not study.is_file():
        return None
    text = study.read_text()
    return fragment_of(text) if runs_in_the_page(text) else None


def link_report(page):
    """Links from a report page, and from each of its claims, to the same study in the page for browsers."""
    record = json.loads((page.parent / "results.json").read_text())
    fragment = in_the_page(ROOT / record["file"])
    if not fragment:
        return
    address = os.path.relpath("try/index.html", pathlib.Path("record") / page.parent.relative_to(pages.name))
    link = lambda more: f'<p><a href="{address}{fragment}{more}">Open in the playground</a></p>'
    text = page.read_text().replace("</h1>", "</h1>" + link(""), 1)
    text = re.sub(r'<article class="claim" id="claim-([^"]+)">', lambda found: found[0] + link("&amp;claim=" + found[1]), text)
    page.write_text(text)


def made_pages():
    """A folder with the numbers, the figures and the pages over them; without the program, a page that says what makes them."""
    folder = pathlib.Path(pages.name)
    for file in [*ROOT.glob("results/**/results.json"), *ROOT.glob("results/**/*.svg")]:
        target = folder / file.relative_to(ROOT / "results")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    if PROGRAM.exists():
        subprocess.run([PROGRAM, "report", folder], check=True, stdout=subprocess.DEVNULL)
        for page in folder.rglob("report.html"):
            link_report(page)
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


def on_page_markdown(markdown, page, config, **_):
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
            return f"{is_image}[{text}]({os.path.relpath(docs / inside, folder)})"
        if config.repo_url:
            return f"[{text}]({config.repo_url.rstrip('/')}/blob/main/{inside}{anchor})"
        return text if text.strip("`") == inside else f"{text} (`{inside}`)"

    return LINK.sub(rewritten, with_links(markdown, page))


def with_links(markdown, page):
    """Links to the page for browsers: after the heading of a scheme, and after each command that runs a study."""
    if not TRY.exists():
        return markdown
    address = os.path.relpath("try/index.html", os.path.dirname(page.file.src_uri) or ".")
    scheme = re.fullmatch(r"schemes/([a-z0-9-]+)\.md", page.file.src_uri)
    if scheme:
        markdown = re.sub(r"\A(# .*\n)", lambda found: f"{found[1]}\n[Open in the playground]({address}#tab=compare&scheme={scheme[1]})\n", markdown)

    def with_link(found):
        fragment = in_the_page(ROOT / found[1])
        return found[0] + (f"\n\n[Open in the playground]({address}{fragment})" if fragment else "")

    return RUN.sub(with_link, markdown)
