"""A hook of MkDocs: links from docs/ to the rest of the repository.

Figures under results/ become part of the site. Other links that leave docs/ point to the repository if `repo_url` is set, and are
plain text otherwise. A link to a file that does not exist fails the build.
"""
import os
import pathlib
import re

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"(!?)\[([^\]]*)\]\((\.\./[^)#\s]*)(#[^)\s]*)?\)")


def on_files(files, config):
    for figure in sorted(ROOT.glob("results/**/*.svg")):
        files.append(File.generated(config, figure.relative_to(ROOT).as_posix(), abs_src_path=str(figure)))
    return files


def on_page_markdown(markdown, page, config, **_):
    folder = pathlib.Path(page.file.abs_src_path).parent
    docs = pathlib.Path(config.docs_dir)

    def rewritten(match):
        is_image, text, path, anchor = match[1], match[2], match[3], match[4] or ""
        target = pathlib.Path(os.path.normpath(folder / path))
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
