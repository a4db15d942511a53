"""Whether a learning tells of a fault that was found and mended: that is history, and true whatever became of the code.
Pure."""

from __future__ import annotations

import re

from lerim.context.records import Kind, Primitive, Record
from lerim.lazy_regex import compile_later

#: What went wrong and why, told as past: whoever knows the cause has mended it, or the code is gone with it.
_CAUSED = compile_later(
    r"\broot cause\b|\bcause was\b|\b(?:was|were) caused by\b"
    r"|\bthe (?:bug|fault|culprit|leak|crash|race|deadlock|mistake|flicker) was\b"
    r"|\b(?:failed|crashed|hung|leaked|broke|stalled|raced|deadlocked|drifted|overflowed|froze|flickered) because\b",
    re.I,
)
#: The same, where it may tell something else.
_WAS_WRONG = compile_later(
    r"\bcause:|\bthe (?:problem|error|reason) was\b|\bturned out\b|\bwas (?:due|because)\b|\btimed out because\b"
    r"|\b(?:was|were) (?:wrong|lost|missing|empty|stale|overwritten|ignored|dropped|never \w+)\b"
    r"|\b(?:because|since|as) [^.;]{3,80} (?:was|were|did|had|wasn['’]t|weren['’]t|didn['’]t|never)\b",
    re.I,
)
#: That it was mended.
_MENDED = compile_later(
    r"(?<!not )(?<!never )\b(?:fixed|mended|solved|resolved|repaired|patched|corrected|reverted"
    r"|(?:it|that|which|this) (?:fixes|fixed|solves|solved)|no longer (?:crash|fail|leak|hang|happen|occur)\w*"
    r"|the fix (?:was|is)|fix:)\b",
    re.I,
)
_RULES = compile_later(
    r"(?:^|[.;:\n]\s*)(?:always|never|do not|don['’]t|use|keep|make sure|avoid|call|run|must|remember)\b"
    r"|\b(?:must|should|have to|has to)\b",
    re.I,
)


def tells_mended(record: Record) -> bool:
    """Whether it tells why something was wrong, and rules on nothing."""
    if record.primitive is not Primitive.LEARNING or record.kind in (Kind.PREFERENCE, Kind.PROCEDURE):
        return False
    told = f"{record.title}\n{record.body}"
    if _RULES.search(told) is not None:
        return False
    return _CAUSED.search(told) is not None or bool(_WAS_WRONG.search(told) and _MENDED.search(told))
