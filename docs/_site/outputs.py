"""Write what commands and examples print into the pages again, where it has changed.

    python docs/_site/outputs.py                      # all pages; slow ones, which run whole projects, included
    python docs/_site/outputs.py docs/gold.md         # some

Only output that tests would refuse is replaced (tests/test_tutorials.py, tests/test_docs.py). Output that is shown in
part, with "...", is not: mend it by hand. Read the change before you commit it.
"""

from __future__ import annotations

import doctest
import os
import sys
import tempfile
import textwrap
import warnings
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT)]

from tests import test_docs, test_tutorials  # noqa: E402


class Rewriter(doctest.DocTestRunner):
    """Collects (what is shown, what came back) of examples that fail."""

    def __init__(self) -> None:
        super().__init__(optionflags=test_tutorials.FLAGS, verbose=False)
        self.changes: list[tuple[str, str]] = []

    def report_failure(self, out, test, example, got):  # noqa: ARG002
        self.changes.append((example.want, got))


def examples(page: Path) -> list[tuple[str, str]]:
    changes, namespace = [], {"__name__": "docs"}
    for line, language, code in test_docs.blocks(page):
        if language != "python":
            continue
        if ">>>" not in code:
            exec(compile("\n" * line + code, str(page), "exec"), namespace)
            continue
        runner = Rewriter()
        test = doctest.DocTestParser().get_doctest(code, namespace, page.name, str(page), line)
        runner.run(test, out=lambda _text: None, clear_globs=False)
        namespace.update(test.globs)
        changes += runner.changes
    return changes


def commands(page: Path, folder: Path) -> list[tuple[str, str]]:
    changes, text = [], page.read_text().splitlines()
    for line, language, code in test_docs.blocks(page):
        test_tutorials.write_file(" ".join(text[max(line - 4, 0) : line - 1]), code, folder)
        for command, shown in test_tutorials.commands(code) if language == "console" else []:
            if command.startswith(test_tutorials.NOT_RUN):
                continue
            printed = test_tutorials.paste(command, folder).stdout
            try:
                if shown.strip():
                    test_tutorials.check(shown, printed, command)
            except AssertionError:
                blank = "\n" if shown.endswith("\n\n") else ""
                changes.append(
                    (shown, "\n".join(each.rstrip() for each in printed.strip("\n").splitlines()) + "\n" + blank)
                )
    return changes


def main() -> None:
    os.environ["COLUMNS"] = "120"
    warnings.simplefilter("ignore")
    for page in [ROOT / name for name in sys.argv[1:]] or test_docs.PAGES:
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                changes = [] if page.name == "commands.md" else examples(page)
            except Exception as error:
                print(f"{page.relative_to(ROOT)}: {type(error).__name__}: {error}")
                continue
            changes += commands(page, Path(folder)) if page in test_tutorials.PAGES else []
        text = page.read_text()
        for before, after in changes:
            for indent in ("", "    "):
                old, new = textwrap.indent(before, indent), textwrap.indent(after, indent)
                if old in text:
                    text = text.replace(old, new, 1)
                    break
            else:
                print(f"{page.relative_to(ROOT)}: not found on the page: {before[:60]!r}")
        if text != page.read_text():
            page.write_text(text)
            print(f"{page.relative_to(ROOT)}: {len(changes)} outputs")


if __name__ == "__main__":
    main()
