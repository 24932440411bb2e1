"""A hook of MkDocs: links from docs/ to the rest of the repository.

Figures under results/ become part of the site, and so do the report pages, which `farfield report` makes of the recorded numbers if the program is
built, under record/. Other links that leave docs/ point to the repository if `repo_url` is set, and are
plain text otherwise. A link to a file that does not exist fails the build.

If packaging/wasm has built the page for browsers, the site has it as try/index.html. Pages of schemes, figures, commands that run a
study, and report pages link to it with its state.
"""
import html
import logging
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"(!?)\[([^\]]*)\]\((\.\./[^)#\s]*)(#[^)\s]*)?\)")


PROGRAM = ROOT / "build/src/cli/farfield"
TRY = ROOT / "build-wasm/try/index.html"
RUN = re.compile(r"^```sh\n(?:\./)?farfield run (studies/\S+\.toml)\n```$", re.MULTILINE)
pages = tempfile.TemporaryDirectory()


def in_the_page(page, results, more=""):
    """A Markdown link from a page of the site to the study of a folder of results in the page for browsers, which its report page has."""
    report = pathlib.Path(pages.name) / results / "report.html"
    found = re.search(r'href="[^"]*(#tab=study&amp;study=[\w-]*)"', report.read_text()) if report.exists() else None
    return f"\n\n[Open in the playground]({playground(page)}{html.unescape(found[1])}{more})" if found else ""


def playground(page):
    return os.path.relpath("try/index.html", os.path.dirname(page.file.src_uri) or ".")


def made_pages():
    """A folder with the numbers, the figures and the pages over them; without the program, a page that says what makes them."""
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
            results = pathlib.PurePath(inside).relative_to("results")
            more = in_the_page(page, results.parent, f"&figure={results.stem}") if is_image else ""
            return f"{is_image}[{text}]({os.path.relpath(docs / inside, folder)}){more}"
        if config.repo_url:
            return f"[{text}]({config.repo_url.rstrip('/')}/blob/main/{inside}{anchor})"
        return text if text.strip("`") == inside else f"{text} (`{inside}`)"

    return LINK.sub(rewritten, with_links(markdown, page))


def with_links(markdown, page):
    """Links to the page for browsers: after the heading of a scheme, and after each command that runs a study."""
    if not TRY.exists():
        return markdown
    scheme = re.fullmatch(r"schemes/([a-z0-9-]+)\.md", page.file.src_uri)
    if scheme:
        markdown = re.sub(r"\A(# .*\n)", lambda found: f"{found[1]}\n[Open in the playground]({playground(page)}#tab=compare&scheme={scheme[1]})\n", markdown)
    return RUN.sub(lambda found: found[0] + in_the_page(page, pathlib.PurePath(found[1]).relative_to("studies").with_suffix("")), markdown)
