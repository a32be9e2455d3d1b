"""Which kernels plain Python names: whoever names one may call it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import cepheid

PACKAGE = Path(cepheid.__file__).parent
DECORATORS = {"kernel", "inlined"}


def kernels_named_by_python() -> dict[str, str]:
    """The full names of kernels that functions which are no kernels name, each with one that does."""
    trees = {_module(path): ast.parse(path.read_text()) for path in PACKAGE.rglob("*.py")}
    kernels = {
        f"{module}.{node.name}" for module, tree in trees.items() for node in tree.body if _is_kernel(node)
    }
    named = {}
    for module, tree in trees.items():
        meanings = dict(_imports(tree)) | {
            node.name: f"{module}.{node.name}" for node in tree.body if isinstance(node, ast.FunctionDef)
        }
        for node in tree.body:
            if not _is_kernel(node) and not isinstance(node, ast.Import | ast.ImportFrom):
                for name in _names(node, meanings):
                    if name in kernels:
                        named[name] = module
    return named


def _module(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def _is_kernel(node: ast.stmt) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        isinstance(each, ast.Name) and each.id in DECORATORS for each in node.decorator_list
    )


def _imports(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """What each imported name means, wherever it is imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    yield alias.asname, alias.name


def _names(node: ast.AST, meanings: dict[str, str]) -> Iterator[str]:
    own = {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)} | {
        part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id not in own:
            yield meanings.get(part.id, "")
        elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
            yield f"{meanings.get(part.value.id, '')}.{part.attr}"
