"""Secrets with a shape of their own: a known prefix, or a form that nothing else has.

A search is a regular expression that begins with one literal character, which the engine finds at the speed of memory.
What costs more runs only around such a hit, with bounded repeats: a text takes time in proportion to its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from lerim.lazy_regex import compile_later
from lerim.sources.secret_values import (
    CARRIED,
    NOWHERE,
    SHAPE,
    SecretSearch,
    SecretSpan,
    has_digits,
    is_mixed,
    is_placeholder,
    is_random,
    is_token_body,
)

# --- A prefix and a body  ---------------------------------------------------------------------------------------------

_WORD = r"[A-Za-z0-9]"
_URLSAFE = r"[A-Za-z0-9_\-]"
_BASE64 = r"[A-Za-z0-9+/]"
_HEX = r"[0-9a-f]"

#: Kind, prefixes, body. A prefix ends in the character its search starts from: one of `_`, `-` and `.`.
_PREFIXED: tuple[tuple[str, str, str], ...] = (
    ("anthropic-key", "sk-ant-api03- sk-ant-api02- sk-ant-api01- sk-ant-", _URLSAFE + "{24,512}"),
    ("anthropic-admin-key", "sk-ant-admin01- sk-ant-admin-", _URLSAFE + "{24,512}"),
    ("anthropic-oauth-token", "sk-ant-oat01- sk-ant-ort01- sk-ant-sid01- sk-ant-sid02-", _URLSAFE + "{24,512}"),
    ("openrouter-key", "sk-or-v1- sk-or-", _WORD + "{32,512}"),
    ("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", _URLSAFE + "{20,512}"),
    ("openai-key", "sk-", _URLSAFE + "{20,512}"),
    ("cerebras-key", "csk-", _WORD + "{40,512}"),
    ("xai-key", "xai-", _WORD + "{40,512}"),
    ("groq-key", "gsk_", _WORD + "{40,512}"),
    ("perplexity-key", "pplx-", _WORD + "{32,512}"),
    ("replicate-token", "r8_", _WORD + "{32,512}"),
    ("hugging-face-token", "hf_ api_org_", _WORD + "{30,512}"),
    ("nvidia-key", "nvapi-", _URLSAFE + "{40,512}"),
    ("fireworks-key", "fw_", _WORD + "{22,512}"),
    ("together-key", "tgp_v1_", _URLSAFE + "{32,512}"),
    ("pinecone-key", "pcsk_", _URLSAFE + "{40,512}"),
    ("jina-key", "jina_", _URLSAFE + "{40,512}"),
    ("tavily-key", "tvly- tvly-dev- tvly-prod-", _URLSAFE + "{24,512}"),
    ("firecrawl-key", "fc-", _HEX + "{32}"),
    ("langsmith-key", "lsv2_pt_ lsv2_sk_", _HEX + "{32}_" + _HEX + "{10}"),
    ("langfuse-key", "sk-lf-", _HEX + r"{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    ("e2b-key", "e2b_", _HEX + "{40}"),
    ("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", _WORD + "{30,512}"),
    ("github-token", "github_pat_", r"[A-Za-z0-9_]{30,512}"),
    (
        "gitlab-token",
        "glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct- glwt-",
        r"[A-Za-z0-9_\-.]{20,512}",
    ),
    (
        "slack-token",
        "xoxb- xoxp- xoxa- xoxo- xoxs- xoxr- xoxe- xoxe.xoxp- xoxe.xoxb- xoxd- xoxc-",
        r"[\w\-%+/]{16,512}",
    ),
    ("slack-token", "xapp-", _URLSAFE + "{30,512}"),
    ("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ sk_org_live_ sk_org_test_", _WORD + "{16,512}"),
    ("webhook-secret", "whsec_", _BASE64 + "{24,512}={0,2}"),
    ("api-key", "sk_", _WORD + "{32,512}"),
    ("npm-token", "npm_", _WORD + "{36,512}"),
    ("pypi-token", "pypi-", "Ag" + _URLSAFE + "{40,512}"),
    ("rubygems-token", "rubygems_", _HEX + "{48}"),
    ("google-client-secret", "GOCSPX-", _URLSAFE + "{24,512}"),
    ("google-oauth-token", "ya29.", _URLSAFE + "{20,512}"),
    ("sendgrid-key", "SG.", _URLSAFE + r"{16,32}\." + _URLSAFE + "{32,64}"),
    ("vault-token", "hvs. hvb. hvr.", _URLSAFE + "{24,512}"),
    ("doppler-token", "dp.pt. dp.ct. dp.sa. dp.st. dp.scim. dp.audit.", r"[A-Za-z0-9_\-.]{36,512}"),
    ("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", _HEX + "{64}"),
    ("linear-key", "lin_api_ lin_oauth_", _WORD + "{32,512}"),
    ("notion-token", "ntn_ secret_", _WORD + "{40,512}"),
    ("docker-token", "dckr_pat_ dckr_oat_", _URLSAFE + "{24,512}"),
    ("supabase-key", "sbp_ sbp_oauth_", _HEX + "{40,64}"),
    ("supabase-key", "sb_secret_", _URLSAFE + "{20,512}"),
    ("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"[0-9a-fA-F]{32}"),
    ("mailgun-key", "key-", _HEX + "{32}"),
    ("brevo-key", "xkeysib- xsmtpsib-", _HEX + r"{64}-" + _WORD + "{16}"),
    ("resend-key", "re_", _WORD + "{8}_" + _WORD + "{16,512}"),
    ("new-relic-key", "NRAK- NRII- NRJS- NRAA-", r"[A-Za-z0-9_\-]{19,64}"),
    ("sentry-token", "sntrys_ sntryu_ sntrya_ sntryi_", r"[A-Za-z0-9_\-+/=]{32,512}"),
    ("grafana-token", "glsa_", _WORD + "{32}_" + _HEX + "{8}"),
    ("grafana-token", "glc_", r"[A-Za-z0-9+/=]{32,512}"),
    ("age-key", "AGE-SECRET-KEY-", r"1[A-Z0-9]{50,64}"),
    ("postman-key", "PMAK-", _HEX + "{24}-" + _HEX + "{34}"),
    ("figma-token", "figd_ figo_", _URLSAFE + "{36,512}"),
    ("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[A-Za-z0-9_\-.=]{32,512}"),
    ("netlify-token", "nfp_ nfc_ nfo_", _WORD + "{36,512}"),
    ("render-key", "rnd_", _WORD + "{28,512}"),
    ("heroku-key", "HRKU-", _URLSAFE + "{32,512}"),
    ("fly-token", "fo1_ fm2_ fm1r_ fm1a_", r"[A-Za-z0-9_\-+/=,]{40,512}"),
    ("pulumi-token", "pul-", _HEX + "{40}"),
    ("posthog-key", "phx_ phs_", _WORD + "{32,512}"),
    ("sonar-token", "squ_ sqp_ sqa_", _HEX + "{40}"),
    ("square-token", "sq0csp- sq0atp-", _URLSAFE + "{22,512}"),
    ("circleci-token", "CCIPAT_", _WORD + "{22}_" + _HEX + "{40}"),
    ("buildkite-token", "bkua_", _HEX + "{40}"),
    ("tailscale-key", "tskey-auth- tskey-api- tskey-client- tskey-scim-", r"[A-Za-z0-9\-]{20,512}"),
    ("typeform-token", "tfp_", r"[A-Za-z0-9_\-.=]{40,512}"),
    ("adafruit-key", "aio_", _WORD + "{28}"),
    ("onepassword-token", "ops_", "eyJ" + _URLSAFE + "{100,512}"),
    # Vendors that no list has: what it is, in the middle of a prefix.
    ("api-key", "_live_ _prod_ _secret_ _pat_ _api_", _WORD + "{24,512}"),
    ("plaid-token", "access-sandbox- access-development- access-production-", r"[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4}"),
)

_BODIES = {prefix: (kind, body) for kind, prefixes, body in _PREFIXED for prefix in prefixes.split()}
# Compiled when met: most traces meet none of them, and compiling all takes longer than reading a session.
_compiled = cache(re.compile)
_PREFIX_LENGTHS = sorted({len(prefix) for prefix in _BODIES}, reverse=True)

# At least 16 characters of a body follow, and among them is one that no snake_case or kebab-case name has.
_BODY_AHEAD = (
    r"(?=[a-z_\-]{0,20}[A-Z0-9])"
    r"(?=[A-Za-z0-9_\-]{16}|[A-Za-z0-9_\-]{2,15}(?:[ \u00a0\"'\r\n]|\\)[^\w]{0,12}[A-Za-z0-9_\-]{6})"
)


def after_prefix(character: str) -> str:
    prefixes = [prefix for prefix in _BODIES if prefix.endswith(character)]
    behind = "|".join(f"(?<={re.escape(prefix)})" for prefix in prefixes)
    # Two letters, looked at first, rule out most of what stands before such a character.
    near = "".join(f"[{''.join(sorted({prefix[at] for prefix in prefixes}))}]" for at in (-3, -2))
    return f"(?<={near}{re.escape(character)}){_BODY_AHEAD}(?:{behind})"


def after_prefix_hint(character: str) -> str:
    """What stands wherever `after_prefix` is found, and its prefix before it."""
    prefixes = "|".join(re.escape(prefix) for prefix in _BODIES if prefix.endswith(character))
    return rf"(?:{prefixes})[a-z_\-]*[A-Z0-9]"


def _find_prefixed(text: str, at: int) -> Iterator[SecretSpan]:
    last = NOWHERE
    for hit in _UNDERSCORE.finditer(text, at):
        if span := prefixed_at(text, hit.end(), last):
            yield (last := span)


def prefixed_at(text: str, at: int, last: SecretSpan) -> SecretSpan | None:
    """The token whose body begins at `at`, unless its prefix stands inside the last one."""
    for length in _PREFIX_LENGTHS:
        start = at - length
        if start < 0 or (prefix := text[start:at]) not in _BODIES:
            continue
        if last.start < start < last.end:
            return None
        kind, pattern = _BODIES[prefix]
        body = _compiled(pattern).match(text, at)
        # Short prefixes end other words (`task-`, `elf_`), and stand in encoded data by chance.
        is_edge = length > 5 or begins_word(text, start) or prefix[0] == "_"
        # A key that a page may show: pk_live_….
        if not is_edge or (prefix[0] == "_" and not _is_secret_vendor(text, start, body)):
            continue
        if body and is_token_body(body[0], sure=length > 3):
            return SecretSpan(start, SHAPE - length, _rest_after_break(text, body.end()), kind)
        if (end := _broken_end(text, at, pattern)) is not None:
            return SecretSpan(start, SHAPE - length, end, kind)
    return None


def _is_secret_vendor(text: str, start: int, body: re.Match[str] | None) -> bool:
    return text[max(0, start - 2) : start] != "pk" and body is not None and is_mixed(body[0])


# What a chat, a terminal or a programmer puts into a token: a blank, a line's end, two strings.
_BREAK = r"(?:[ \u00a0]|\\?\r?\n[ ]{0,8}|\\n|[\"'][ ]?[+.]?[ ]?(?:\\?\n[ ]{0,12})?[\"'])"
_PIECES = compile_later(rf"[A-Za-z0-9_\-]{{2,200}}{_BREAK}[A-Za-z0-9_\-]{{6,512}}")
_AFTER_BREAK = compile_later(rf"{_BREAK}([A-Za-z0-9_\-]{{6,512}})")
_JOIN = compile_later(_BREAK)
# Letters and digits change as in no word.
_CHANGES = compile_later(r"[a-z][A-Z0-9]|[0-9][A-Za-z]|[A-Z]{2}[a-z]|[0-9]{4}")
_OWN_BEGIN = (*_BODIES, "AIza", "AKIA", "ASIA", "eyJ")


def _broken_end(text: str, at: int, pattern: str) -> int | None:
    """Where a token ends that was broken in two, when its halves make one together and neither is a word."""
    pieces = _PIECES.match(text, at)
    if pieces is None:
        return None
    halves = _JOIN.split(pieces[0], maxsplit=1)
    if not all(len(half) < 4 or _CHANGES.search(half) for half in halves):
        return None
    whole = "".join(halves)
    body = _compiled(pattern).match(whole)
    if body is None or body.end() <= len(halves[0]) or not is_token_body(body[0]):
        return None
    return pieces.end() - (len(whole) - body.end())


def _rest_after_break(text: str, end: int) -> int:
    """Where a token ends when a break came late: what follows looks like the rest of it, and like nothing else."""
    rest = _AFTER_BREAK.match(text, end)
    if rest is None or not is_random(rest[1], 6) or not is_mixed(rest[1]) or rest[1].startswith(_OWN_BEGIN):
        return end
    return rest.end() if not text.startswith(("=", ":", "("), rest.end()) else end


# In JSON text a line ending is `\n`, in a URL `=` is %3D, in a terminal's output a color comes before the word.
_ESCAPE_BEFORE = compile_later(r"(?:\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\[[0-9;]{1,6}m)\Z")


def begins_word(text: str, at: int) -> bool:
    before = text[at - 1] if at else " "
    # A sentence in a script without spaces may run into it.
    if not before.isascii() or not (before.isalnum() or before == "_"):
        return True
    return _ESCAPE_BEFORE.search(text[max(0, at - 8) : at]) is not None


_UNDERSCORE = compile_later("_" + after_prefix("_"))

# --- Tokens after a dot -----------------------------------------------------------------------------------------------

_DOT = compile_later(
    r"\.(?=[A-Za-z0-9_\-]{16})(?:"
    + "|".join(f"(?<={re.escape(prefix)})" for prefix in _BODIES if prefix.endswith("."))
    + r"|(?<=\.[A-Za-z0-9_\-]{6}\.)(?=[A-Za-z0-9_\-]{27})"
    + r"|(?<=[A-Za-z0-9]{14}\.atlasv1\.)(?=[A-Za-z0-9_\-=]{50})"
    + r"|(?<=pat[A-Za-z0-9]{14}\.)(?=[0-9a-f]{64}))"
)
_DOT_HINT = (
    f"(?:{'|'.join(re.escape(prefix) for prefix in _BODIES if prefix.endswith('.'))}"
    r"|\.[A-Za-z0-9_\-]{6}\.|\.atlasv1\.|pat[A-Za-z0-9]{14}\.)[A-Za-z0-9_\-]{16}"
)
#: Kind, what stands before the dot, what follows it.
_DOTTED: tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...] = (
    # A bot's id in base64, then a time, then the signature.
    (
        "discord-token",
        compile_later(r"[MNO][A-Za-z0-9_\-]{22,27}\.[A-Za-z0-9_\-]{6}\.\Z"),
        compile_later(r"[\w\-]{27,64}"),
    ),
    ("terraform-token", compile_later(r"[A-Za-z0-9]{14}\.atlasv1\.\Z"), compile_later(r"[A-Za-z0-9_\-=]{50,128}")),
    ("airtable-token", compile_later(r"pat[A-Za-z0-9]{14}\.\Z"), compile_later(r"[0-9a-f]{64}")),
)


def _find_after_dot(text: str, at: int) -> Iterator[SecretSpan]:
    last = NOWHERE
    for hit in _DOT.finditer(text, at):
        if span := prefixed_at(text, hit.end(), last) or _dotted_at(text, hit.end()):
            yield (last := span)


def _dotted_at(text: str, at: int) -> SecretSpan | None:
    window = max(0, at - 40)
    for kind, before, after in _DOTTED:
        head, body = before.search(text[window:at]), after.match(text, at)
        if head and body and is_random(body[0], 24):
            return SecretSpan(window + head.start(), SHAPE, body.end(), kind)
    return None


# --- Shapes of their own ----------------------------------------------------------------------------------------------

_CAPITAL_A = compile_later(
    r"A(?:(?P<google_api_key>Iza[A-Za-z0-9_\-]{35})"
    r"|(?P<aws_access_key_id>(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}(?![A-Za-z0-9]))"
    r"|(?P<atlassian_token>T[AC]TT3[A-Za-z0-9_\-=.]{50,512}|TBB[A-Za-z0-9]{28,64})"
    # Broken in two by a blank, a line's end or a sign between two strings.
    rf"|(?P<google_api_key_broken>Iza[A-Za-z0-9_\-]{{2,33}}{_BREAK}[A-Za-z0-9_\-]{{2,34}})"
    rf"|(?P<aws_access_key_id_broken>(?:KIA|SIA)[A-Z2-7]{{2,15}}{_BREAK}[A-Z2-7]{{2,15}}(?![A-Za-z0-9]))"
    r"|(?P<aws_bedrock_key>BSK[A-Za-z0-9+/]{100,512}={0,2})"
    r"|(?P<artifactory_key>KCp[0-9][A-Za-z0-9]{60,128}))"
)
_WHOLE_LENGTHS = {"google-api-key": 39, "aws-access-key-id": 20}
_AFTER_ACCESS_KEY = compile_later(r"[\"']?[\s,:;|/]{1,6}[\"']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])")


def _find_capital_a(text: str, at: int) -> Iterator[SecretSpan]:
    for hit in _CAPITAL_A.finditer(text, at):
        kind = (hit.lastgroup or "").replace("_", "-")
        if kind.endswith("-broken"):
            kind = kind.removesuffix("-broken")
            if len(_JOIN.sub("", hit[0])) != _WHOLE_LENGTHS[kind]:
                continue
        # An access key id has the letters of base32 only: nothing to tell words from.
        is_body = kind == "aws-access-key-id" or is_random(hit[0][4:], 12)
        # Inside a longer word it is a piece of encoded data.
        is_edge = begins_word(text, hit.start()) or text.endswith("_", 0, hit.start())
        if not is_body or is_placeholder(hit[0]) or not is_edge:
            continue
        yield SecretSpan(hit.start(), SHAPE, hit.end(), kind)
        pair = _AFTER_ACCESS_KEY.match(text, hit.end())
        if pair and is_random(pair[1], 40):
            yield SecretSpan(pair.start(1), SHAPE, pair.end(1), "aws-secret-key")


# Signed (three parts) and encrypted (five) tokens; the last part may be cut off. `eyJ` is `{"` in base64.
_JWT = compile_later(r"J(?<=eyJ)[A-Za-z0-9_\-]{8,600}+\.[A-Za-z0-9_\-]{16,}+(?:\.[A-Za-z0-9_\-]*+){0,3}")


def _find_jwt(text: str, at: int) -> Iterator[SecretSpan]:
    for hit in _JWT.finditer(text, at):
        if is_token_body(hit[0]):
            yield SecretSpan(hit.start() - 2, SHAPE, hit.end(), "jwt")


# Found on the way by the searches for `K` and `p`: kind, the letters before the anchor's, the whole.
_HEX_KEYS = {
    "K": ("twilio-key", 1, compile_later(r"SK[0-9a-f]{32}(?![A-Za-z0-9])")),
    "p": ("databricks-token", 2, compile_later(r"dapi[0-9a-f]{32}(?:-[0-9])?(?![A-Za-z0-9])")),
}


def hex_key_at(text: str, at: int) -> Iterator[SecretSpan]:
    kind, before, pattern = _HEX_KEYS[text[at]]
    hit = pattern.match(text, at - before)
    if hit and begins_word(text, hit.start()) and is_token_body(hit[0][4:]):
        yield SecretSpan(hit.start(), SHAPE, hit.end(), kind)


# Three characters, a version, `Q~`, and the rest.
_AZURE_SECRET = compile_later(r"~(?<=[A-Za-z0-9_~.\-]{3}[0-9]Q~)[A-Za-z0-9_~.\-]{31,34}")


def _find_azure_secret(text: str, at: int) -> Iterator[SecretSpan]:
    for hit in _AZURE_SECRET.finditer(text, at):
        if is_random(hit[0], 24):
            yield SecretSpan(hit.start() - 5, SHAPE, hit.end(), "azure-client-secret")


# --- Where a text was cut ---------------------------------------------------------------------------------------------

_CUT = compile_later(r"… [\d,]{1,15} characters cut …\]\n")
_HALF_BEFORE = compile_later(
    "(?:" + "|".join(re.escape(prefix) for prefix in sorted(_BODIES, key=len, reverse=True)) + r"|AIza|AKIA|eyJ)"
    r"[A-Za-z0-9_\-.+/=]{4,}\Z"
)
# Most texts are cut after a word, which is soon looked through.
_LAST_RUN = compile_later(r"[A-Za-z0-9_\-.+/=]{8,}+\Z")
_HALF_AFTER = compile_later(r"[A-Za-z0-9_\-+/=]{12,512}")


def _find_halves(text: str, at: int) -> Iterator[SecretSpan]:
    """The two ends of a long text touch its cut mark; a secret that stood there has lost its shape."""
    for cut in _CUT.finditer(text, at):
        stop = max(0, cut.start() - len("\n["))
        last = _LAST_RUN.search(text, max(0, stop - 256), stop)
        for half in _HALF_BEFORE.finditer(text, last.start(), stop) if last else ():
            if begins_word(text, half.start()) and is_random(half[0], 8):
                yield SecretSpan(half.start(), CARRIED, half.end(), "cut-secret")
        after = _HALF_AFTER.match(text, cut.end())
        if after and is_random(after[0], 12) and has_digits(after[0], 1):
            yield SecretSpan(after.start(), CARRIED, after.end(), "cut-secret")


_CAPITAL_A_HINT = (
    r"A(?:Iza[A-Za-z0-9_\-]{2}|(?:KIA|SIA|BIA|CCA)[A-Z2-7]{2}|T[AC]TT3|TBB[A-Za-z0-9]{28}|BSK[A-Za-z0-9+/]{100}"
    r"|KCp[0-9])"
)

SEARCHES: tuple[SecretSearch, ...] = (
    SecretSearch(after_prefix_hint("_"), _UNDERSCORE, _find_prefixed, of_words=True),
    SecretSearch(_DOT_HINT, _DOT, _find_after_dot, of_words=True),
    SecretSearch(_CAPITAL_A_HINT, _CAPITAL_A, _find_capital_a, of_words=True),
    SecretSearch(r"eyJ[A-Za-z0-9_\-]{8}", _JWT, _find_jwt, of_words=True),
    SecretSearch(r"[0-9]Q~", _AZURE_SECRET, _find_azure_secret, of_words=True),
    SecretSearch(r"characters cut …\]\n", _CUT, _find_halves),
)
