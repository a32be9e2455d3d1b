"""Puts together what the site is built from: the documents as they are, with links that hold on the site."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath

from website.commands import commands_page
from website.flowchart import drawn_flowcharts
from website.pages import navigation
from website.python_api import python_page
from website.routes import routes_page

ROOT = Path(__file__).parent.parent
INSIDE = ("ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md")
_LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)]*)?\))")
_CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
_PICTURE = re.compile(r"^!\[([^\]]*)\]\((\S+\.svg)\)$", re.MULTILINE)
_ROW = re.compile(r"^\|.*$", re.MULTILINE)
_SPAN = re.compile(r"`[^`\n]+`")
_MARK = re.compile(r"^<!-- not run -->\n", re.MULTILINE)


def stage(folder: Path) -> None:
    """Fill the folder with a site's sources: pages, pictures, settings."""
    shutil.rmtree(folder, ignore_errors=True)
    pages = folder / "docs"
    shutil.copytree(ROOT / "docs", pages)
    for name in INSIDE:
        shutil.copy(ROOT / name, pages / name)
    shutil.copy(ROOT / "README.md", pages / "index.md")
    shutil.copy(Path(__file__).parent / "website.css", pages / "website.css")
    shutil.copytree(Path(__file__).parent / "vendor", pages / "vendor")
    _stage_examples(pages / "examples")
    reference = pages / "reference"
    (reference / "commands.md").write_text(commands_page())
    (reference / "http.md").write_text(routes_page())
    (reference / "api.md").write_text(python_page())
    for page in pages.rglob("*.md"):
        page.write_text(as_on_site(page.read_text(), page.relative_to(pages).as_posix(), pages))
    for name in _files_of_code(pages):
        (pages / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, pages / name)
    settings = (Path(__file__).parent / "zensical.toml").read_text()
    (folder / "zensical.toml").write_text(settings.replace("nav = []", f"nav = {_toml(navigation(pages))}"))


def _stage_examples(folder: Path) -> None:
    from website.notebooks import SIX, index_page, page_of, write_notebook

    folder.mkdir()
    (folder / "index.md").write_text(index_page())
    for source in sorted((ROOT / "examples").glob("*.py")):
        if source.stem in SIX:
            (folder / f"{source.stem}.md").write_text(page_of(source))
            write_notebook(source, folder / f"{source.stem}.ipynb")
        shutil.copy(source, folder / source.name)


def as_on_site(text: str, page: str, pages: Path) -> str:
    """A page whose links lead to pages of the site, and whose drawings need no script."""
    text = drawn_flowcharts(_MARK.sub("", text))
    text = _PICTURE.sub(lambda found: _inlined(pages / PurePosixPath(page).parent / found[2]), text)
    text = _ROW.sub(lambda row: _SPAN.sub(_with_plain_bars, row[0]), text)
    parts = _CODE.split(text)
    return "".join(
        part if place % 2 else _LINK.sub(_moved(page, pages), part) for place, part in enumerate(parts)
    )


def _with_plain_bars(span: re.Match[str]) -> str:
    """Code in a row of a table, where the site, unlike others, takes bars as they are and shows escapes."""
    return span[0].replace("\\|", "|")


def _files_of_code(pages: Path) -> set[str]:
    """Files that pages link to and that are no pages."""
    found = set()
    for page in pages.rglob("*.md"):
        for _, target, _ in _LINK.findall(page.read_text()):
            source = normpath(page.relative_to(pages).parent / target)
            if ":" not in target and not (pages / source).exists() and (ROOT / source).is_file():
                found.add(source)
    return found


def _inlined(picture: Path) -> str:
    """A drawing as a part of the page, whose colours it takes."""
    return f'<figure class="drawing">{picture.read_text().strip()}</figure>'


def _moved(page: str, pages: Path) -> Callable[[re.Match[str]], str]:
    home = "README.md" if page == "index.md" else page if page in INSIDE else f"docs/{page}"

    def link(found: re.Match[str]) -> str:
        before, target, after = found.groups()
        if ":" in target:
            return found.group()
        source = normpath(PurePosixPath(home).parent / target)
        place = _on_site(source)
        if (pages / place).is_dir():
            place += "/README.md"
        return f"{before}{relpath(place, str(PurePosixPath(page).parent))}{after}"

    return link


def _on_site(source: str) -> str:
    """Where a file of the project is among the pages."""
    if source == "README.md":
        return "index.md"
    return source.removeprefix("docs/")


def _toml(value: object) -> str:
    match value:
        case str():
            return f'"{value}"'
        case dict():
            return "{ " + ", ".join(f'"{name}" = {_toml(part)}' for name, part in value.items()) + " }"
        case list():
            return "[" + ", ".join(map(_toml, value)) + "]"
    raise TypeError(value)
