"""Build the wheel and the sdist, and check what would be published.

    make dist        # dist/shortlist-VERSION-py3-none-any.whl, dist/shortlist-VERSION.tar.gz

- **Reproducible**: both are built again from a copy of the tree with other times and permissions, and the wheel once
  more from the sdist. All must be equal to the last byte.
- **Whole, and nothing else**: the package as git has it, licence and notices of vendored files.
- **Small**: at most 800 kB each.
- **As PyPI wants it**: `twine check --strict`.

    python release/dist.py --tag v0.1.0       # also: is this the tag of this version, and has the CHANGELOG its date?
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
LARGEST = 800_000  # bytes
TOP = ("CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md", "pyproject.toml")
VENDORED = "src/shortlist/studio/assets/VENDORED.md"


def version(root: Path = ROOT) -> str:
    found = re.search(r'^__version__ = "(.+)"$', (root / "src/shortlist/__init__.py").read_text("utf-8"), re.M)
    assert found, "no __version__"
    return found[1]


def package_files(root: Path = ROOT) -> set[str]:
    """Files of the package: those that git knows, or where there is no git, all but compiled ones."""
    listed = subprocess.run(
        ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "src/shortlist"],
        capture_output=True,
        text=True,
        check=False,
    )
    if listed.returncode == 0:
        return {name for name in listed.stdout.split("\0") if name and (root / name).exists()}
    everything = (root / "src" / "shortlist").rglob("*")
    return {p.relative_to(root).as_posix() for p in everything if p.is_file() and "__pycache__" not in p.parts}


def wheel_files(root: Path = ROOT) -> set[str]:
    info = f"shortlist-{version(root)}.dist-info"
    about = ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE", f"licenses/{VENDORED}")
    return {name.removeprefix("src/") for name in package_files(root)} | {f"{info}/{name}" for name in about}


def sdist_files(root: Path = ROOT) -> set[str]:
    # hatchling adds .gitignore, which says what it left out
    return {f"shortlist-{version(root)}/{name}" for name in (*package_files(root), *TOP, "PKG-INFO", ".gitignore")}


def contents(file: Path) -> set[str]:
    if file.suffix == ".whl":
        return set(zipfile.ZipFile(file).namelist())
    with tarfile.open(file) as archive:
        return {member.name for member in archive if member.isfile()}


def build(root: Path, to: Path, *kinds: str) -> list[Path]:
    """The files that were built, the wheel first."""
    command = [sys.executable, "-m", "build", "--no-isolation", *kinds, "--outdir", str(to), str(root)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return sorted(to.glob("*.whl")) + sorted(to.glob("*.tar.gz"))


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def copied(to: Path) -> Path:
    """Another checkout: what is built from, with other times and permissions."""
    for name in (*package_files(), *TOP, ".gitignore"):
        target = to / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
        target.chmod(0o600)
        os.utime(target, (1_000_000_000, 1_000_000_000))
    return to


def built_again(sdist: Path, work: Path) -> list[Path]:
    """Both files from another checkout, and the wheel from the sdist."""
    again = build(copied(work / "tree"), work / "again", "--wheel", "--sdist")
    with tarfile.open(sdist) as archive:
        archive.extractall(work / "unpacked", filter="data")
    return again + build(work / "unpacked" / sdist.name.removesuffix(".tar.gz"), work / "third", "--wheel")


def problems(files: list[Path], again: list[Path]) -> list[str]:
    found = []
    digests = {file.name: digest(file) for file in files}
    found += [f"{file} differs when it is built again" for file in again if digest(file) != digests[file.name]]
    for file in files:
        wanted = wheel_files() if file.suffix == ".whl" else sdist_files()
        missing, more = sorted(wanted - contents(file)), sorted(contents(file) - wanted)
        found += [f"{file.name} lacks {name}" for name in missing] + [f"{file.name} holds {name}" for name in more]
        if file.stat().st_size > LARGEST:
            found.append(f"{file.name} has {file.stat().st_size / 1000:.0f} kB, more than {LARGEST / 1000:.0f}")
    return found


def tag_problems(tag: str) -> list[str]:
    found = [] if tag == f"v{version()}" else [f"tag {tag} is not of version {version()}"]
    heading = re.compile(rf"^## {re.escape(version())} \(\d{{4}}-\d\d-\d\d\)$", re.M)
    if not heading.search((ROOT / "CHANGELOG.md").read_text("utf-8")):
        found.append(f"CHANGELOG.md has no '## {version()} (YYYY-MM-DD)'")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tag", default="", help="the tag to release")
    tag = parser.parse_args().tag
    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    files = build(ROOT, ROOT / "dist", "--wheel", "--sdist")
    with tempfile.TemporaryDirectory() as folder:
        again = built_again(files[-1], Path(folder))
        wrong = problems(files, again) + (tag_problems(tag) if tag else [])
    for file in files:
        print(f"{file.relative_to(ROOT)}  {file.stat().st_size / 1000:.0f} kB, {len(contents(file))} files", end="  ")
        print(f"sha256 {digest(file)[:16]}…, the same {1 + [a.name for a in again].count(file.name)} times")
    if wrong:
        sys.exit("\n".join(wrong))
    subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *map(str, files)], check=True)


if __name__ == "__main__":
    main()
