"""How a server proves that it has the token to whoever has it, too, without showing it."""

from __future__ import annotations

import hmac
from hashlib import sha256


def proof_of(token: str, nonce: str) -> str:
    """What only somebody with the token can say to a word that was made up just now."""
    return hmac.new(token.encode(), f"hello {nonce}".encode("utf-8", "replace"), sha256).hexdigest()
