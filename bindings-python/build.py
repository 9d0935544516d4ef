"""Packs the wheel: `python3 build.py MODULE FOLDER`, with the compiled module of the engine. Needs no other package.

The bytes depend on the sources only: entries are sorted and have one date.
"""

import base64
import hashlib
import pathlib
import re
import sys
import zipfile

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent

METADATA = """\
Metadata-Version: 2.4
Name: textveil
Version: {version}
Summary: Finds and protects personal data in text, in the process
License-Expression: Apache-2.0
License-File: LICENSE
License-File: NOTICE
Classifier: Operating System :: OS Independent
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Requires-Python: >=3.10
Requires-Dist: wasmtime>=48
Provides-Extra: pandas
Requires-Dist: pandas>=2; extra == "pandas"
Provides-Extra: polars
Requires-Dist: polars>=1; extra == "polars"
Description-Content-Type: text/markdown

{readme}"""

WHEEL = """\
Wheel-Version: 1.0
Generator: textveil
Root-Is-Purelib: true
Tag: py3-none-any
"""


def version() -> str:
    manifest = (ROOT / "Cargo.toml").read_text(encoding="utf-8")
    found = re.search(r'\[workspace\.package\]\nversion = "([^"]+)"', manifest)
    if not found:
        sys.exit("Cargo.toml has no version of the workspace")
    return found[1]


def pack(module: pathlib.Path, folder: pathlib.Path) -> pathlib.Path:
    number = version()
    info = f"textveil-{number}.dist-info"
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    entries = {
        f"textveil/{path.name}": path.read_bytes()
        for path in (HERE / "textveil").iterdir()
        if path.suffix == ".py" or path.name == "py.typed"
    }
    entries["textveil/engine.wasm"] = module.read_bytes()
    entries["textveil/_version.py"] = f'"""The version of the package."""\n\nVERSION = "{number}"\n'.encode()
    entries[f"{info}/METADATA"] = METADATA.format(version=number, readme=readme).encode()
    entries[f"{info}/WHEEL"] = WHEEL.encode()
    for name in ("LICENSE", "NOTICE"):
        entries[f"{info}/licenses/{name}"] = (ROOT / name).read_bytes()
    record = "".join(
        f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip('=')},{len(content)}\n"
        for name, content in sorted(entries.items())
    )
    entries[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()

    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("textveil-*.whl"):
        old.unlink()
    wheel = folder / f"textveil-{number}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in sorted(entries.items()):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return wheel


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: build.py MODULE FOLDER")
    print(pack(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
