"""The server of a home that runs already: where it noted itself, and how it is asked for a link.

The note is for its owner's eyes, and trusted by nobody: whoever answers at its port has to prove that it has the token,
before it is shown the token.
"""

from __future__ import annotations

import http.client
import json
import os
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hmac import compare_digest
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from lerim.private import put_private
from lerim.serve.web.proof import proof_of

if TYPE_CHECKING:
    from lerim.serve.web.site import Site

NOTE = "serve.json"
#: One that is being started, or has much to do, is waited for: its process lives.
_SECONDS = 30.0


@contextmanager
def noted(home: Path, site: Site, cert: Path | None) -> Iterator[None]:
    """Have it known where the server of this home is, as long as it runs."""
    note = {"pid": os.getpid(), "url": site.url, "port": site.port, "cert": str(cert) if cert else None}
    path = home / NOTE
    # Where nothing can be written, it serves all the same.
    with suppress(OSError):
        put_private(path, json.dumps(note).encode())
    try:
        yield
    finally:
        # Another one may have been started since.
        with suppress(OSError, ValueError):
            if json.loads(path.read_bytes())["pid"] == os.getpid():
                path.unlink()


def link_from_running(home: Path, token: str, project: str | None, random: Callable[[int], bytes]) -> str | None:
    """A link into the server that runs for this home, to a project of it; None when there is none."""
    note = _note_in(home)
    if note is None:
        return None
    nonce = random(16).hex()
    hello = _asked(note, "GET", f"/hello?nonce={nonce}")
    if hello is None or not compare_digest(str(hello.get("proof", "")), proof_of(token, nonce)):
        return None
    into = f"?project={quote(project, safe='')}" if project else ""
    made = _asked(note, "POST", f"/login/link{into}", {"Authorization": f"Bearer {token}"})
    return str(made["url"]) if made and "url" in made else None


def _note_in(home: Path) -> dict[str, Any] | None:
    try:
        note = json.loads((home / NOTE).read_bytes())
        os.kill(int(note["pid"]), 0)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return note if isinstance(note.get("url"), str) else None


def _asked(note: dict[str, Any], method: str, path: str, headers: dict[str, str] | None = None) -> Any:
    """What the server answers; None when it does not, or not as ours would."""
    url = urlsplit(note["url"])
    try:
        if url.scheme == "https":
            context = ssl.create_default_context(cafile=note.get("cert"))
            line: http.client.HTTPConnection = http.client.HTTPSConnection(
                url.hostname or "", url.port, timeout=_SECONDS, context=context
            )
        else:
            line = http.client.HTTPConnection(url.hostname or "", url.port, timeout=_SECONDS)
        try:
            line.request(method, path, headers=headers or {})
            reply = line.getresponse()
            document = json.loads(reply.read(65_536))
        finally:
            line.close()
    except (OSError, ValueError, http.client.HTTPException):
        return None
    return document if reply.status == 200 and isinstance(document, dict) else None
