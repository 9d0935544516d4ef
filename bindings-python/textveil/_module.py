"""Loads the engine's module and calls it.

A compiled module is kept on disk, since compiling takes seconds and loading milliseconds. A store of wasmtime belongs to
one thread, so each thread has an instance of its own.
"""

from __future__ import annotations

import codecs
import collections
import hashlib
import importlib.metadata
import json
import os
import pathlib
import platform
import stat
import sys
import tempfile
import threading
from typing import Any

import wasmtime

from ._errors import TextveilError

#: Names the folder of the compiled module. An empty value keeps it in memory only.
CACHE_VARIABLE = "TEXTVEIL_CACHE_DIR"

_WASM = pathlib.Path(__file__).with_name("engine.wasm")
_loading = threading.Lock()
_loaded: tuple[wasmtime.Engine, wasmtime.Module] | None = None
_threads = threading.local()


def cache_folder() -> pathlib.Path | None:
    """Returns the folder of the compiled module, or None if there is no place for it."""
    named = os.environ.get(CACHE_VARIABLE)
    if named is not None:
        return pathlib.Path(named) if named else None
    try:
        home = pathlib.Path.home()
    except RuntimeError:
        return None
    if sys.platform == "win32":
        return pathlib.Path(os.environ.get("LOCALAPPDATA") or home / "AppData/Local") / "textveil"
    if sys.platform == "darwin":
        return home / "Library/Caches/textveil"
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache") / "textveil"


def _is_ours(path: pathlib.Path) -> bool:
    """Whether no other user can have written a file: compiled code runs without checks."""
    if not hasattr(os, "getuid"):
        return True
    about = path.lstat()
    return about.st_uid == os.getuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _cached(engine: wasmtime.Engine, file: pathlib.Path) -> wasmtime.Module | None:
    try:
        if _is_ours(file.parent) and _is_ours(file):
            return wasmtime.Module.deserialize(engine, file.read_bytes())
    except (OSError, wasmtime.WasmtimeError):
        # absent, cut off, or for other processors: it is compiled anew
        pass
    return None


def _keep(module: wasmtime.Module, file: pathlib.Path) -> None:
    """Writes the compiled module under its name in one step. The package works without it."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_ours(file.parent):
            return
        handle, name = tempfile.mkstemp(dir=file.parent, suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(module.serialize())
            os.replace(name, file)
        except BaseException:
            os.unlink(name)
            raise
    except OSError:
        pass


def _load() -> tuple[wasmtime.Engine, wasmtime.Module]:
    global _loaded
    with _loading:
        if _loaded is None:
            engine = wasmtime.Engine()
            wasm = _WASM.read_bytes()
            folder = cache_folder()
            module = None
            file = None
            if folder is not None:
                runtime = importlib.metadata.version("wasmtime")
                key = b"\0".join([wasm, runtime.encode(), platform.machine().encode(), platform.system().encode()])
                file = folder / f"engine-{hashlib.sha256(key).hexdigest()[:32]}.cwasm"
                module = _cached(engine, file)
            if module is None:
                module = wasmtime.Module(engine, wasm)
                if file is not None:
                    _keep(module, file)
            _loaded = engine, module
        return _loaded


class Instance:
    """The engine in one thread."""

    def __init__(self) -> None:
        engine, module = _load()
        self._store = wasmtime.Store(engine)
        exports = wasmtime.Instance(self._store, module, []).exports(self._store)
        self._functions: dict[str, Any] = {name: exports[name] for name in exports}
        self._memory: Any = self._functions["memory"]
        self._input: Any = self._functions["input"]
        #: functions with the handles to forget, from any thread
        self.closing: collections.deque[tuple[str, int]] = collections.deque()

    def call(self, function: str, handle: int | None, *arguments: bytes) -> Any:
        """Calls a function of the module and returns its answer.

        Raises TextveilError if the engine rejects the call.
        """
        store = self._store
        try:
            while self.closing:
                name, closed = self.closing.popleft()
                self._functions[name](store, closed)
            for argument in arguments:
                place = self._input(store, len(argument)) & 0xFFFF_FFFF
                self._memory.write(store, argument, place)
            called = self._functions[function]
            answer = called(store) if handle is None else called(store, handle)
            start, length = answer >> 32 & 0xFFFF_FFFF, answer & 0xFFFF_FFFF
            read = self._memory.read(store, start, start + length)
        except (wasmtime.Trap, wasmtime.WasmtimeError) as fault:
            # an instance is lost after a defect
            _threads.__dict__.pop("instance", None)
            raise TextveilError("the engine stopped; please report this defect", code="internal_error") from fault
        if not read:
            raise TextveilError("the engine has no answer; please report this defect", code="internal_error")
        value = json.loads(read[1:])
        if read[0]:
            raise TextveilError(**value)
        return value


def instance() -> Instance:
    """Returns the engine of this thread."""
    found: Instance | None = getattr(_threads, "instance", None)
    if found is None:
        found = _threads.instance = Instance()
    return found


def _replaced(error: UnicodeError) -> tuple[bytes, int]:
    """Writes a lone surrogate as U+FFFD: one character, so that offsets stay."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "\N{REPLACEMENT CHARACTER}".encode() * (error.end - error.start), error.end


codecs.register_error("textveil.replaced", _replaced)


def encoded(text: str) -> bytes:
    """Returns a text in UTF-8."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="textveil.replaced")


def encoded_json(value: Any) -> bytes:
    """Returns a value as JSON in UTF-8."""
    return encoded(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
