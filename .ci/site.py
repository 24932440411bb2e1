"""A hook of MkDocs: links from docs/ to the rest of the repository.

Figures under results/ become part of the site, and so do the report pages, which `farfield report` makes of the recorded numbers if the program is
built, under record/. Other links that leave docs/ point to the repository if `repo_url` is set, and are
plain text otherwise. A link to a file that does not exist fails the build.
"""
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
pages = tempfile.TemporaryDirectory()


def made_pages():
    """A folder with the numbers, the figures and the pages over them; without the program, a page that says what makes them."""
    folder = pathlib.Path(pages.name)
    for file in [*ROOT.glob("results/**/results.json"), *ROOT.glob("results/**/*.svg")]:
        target = folder / file.relative_to(ROOT / "results")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, target)
    if PROGRAM.exists():
        subprocess.run([PROGRAM, "report", folder], check=True, stdout=subprocess.DEVNULL)
    else:
        logging.getLogger("mkdocs").info("no %s: the site has no report pages", PROGRAM)
        (folder / "index.html").write_text("<p>Build farfield, then the site: <code>farfield report results</code> makes this page.")
    return folder


def on_files(files, config):
    for figure in sorted(ROOT.glob("results/**/*.svg")):
        files.append(File.generated(config, figure.relative_to(ROOT).as_posix(), abs_src_path=str(figure)))
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

    return LINK.sub(rewritten, markdown)
