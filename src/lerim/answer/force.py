"""With what force a sentence is said: ruled, told, wanted, complained of, or asked. Pure.

Who asks how something is wants to hear what was decided about it, not that somebody once asked, complained, or wanted
it tried.
"""

from __future__ import annotations

from enum import IntEnum

from lerim.lazy_regex import compile_later
from lerim.text.grammar import VERB_FORMS


class Force(IntEnum):
    """What a sentence settles: the more, the higher."""

    ASKED = 0
    COMPLAINED = 1
    #: A task: once it is done, or was given up, it says nothing any more.
    WANTED = 2
    TOLD = 3
    #: A rule, a choice, a value that was set.
    RULED = 4


_OPENING = r"^\W*(?:(?:ok(?:ay)?|yes|no|and|so|then|also|now|well|hm+|please|pls|just|first|next|oh|btw)[,:]? +)*"
_ASKED = compile_later(
    rf"(?i)\?\W*$|{_OPENING}(?:(?:who|why|where|whats?|how|which) (?:\w+ ){{0,8}}?"
    r"(?:is|are|do|does|did|was|were|can|should)\b"
    r"|(?:is|are|does|did|can|could|should|shall|would) (?:i|we|it|there|the|you|they|that|this)\b"
    # "Do that" is an order.
    r"|do (?:i|we|there|you|they)\b"
    r"|(?:what|how) (?:about|of)\b"
    # What somebody only thinks of is not settled, either.
    r"|(?:maybe|perhaps) (?:we|i|you)\b|(?:we|one|you) (?:could|might)\b"
    # A clause that begins so asks, wherever it stands: "the key is fixed - should it not be random".
    r"|.*(?:[,:;–—]| -) (?:so )?(?:(?:should|could|would|can|does|do|did|is|are|was|were|has|have) (?:it|we|i|they|this"
    r"|that|there|you)|(?:does|did) (?:the |our )?[\w.-]+ [a-z]+)\b(?!.*: \S)"
    r"|(?:does|did) (?!not\b|nothing\b|n['’]t)(?:the |our |an? )?[\w./-]+ (?:[a-z]|`)"
    # What somebody only has a feeling of is no finding.
    r"|(?:i|we) (?:have|had|get|got) the (?:impression|feeling)\b"
    # What was only offered or suggested, by the agent or somebody else, is not settled, either.
    r"|or (?:we|you|i|it|use|with|just)\b|(?:it|that|this) (?:would|could|might)\b"
    r"|.* would (?:do|suffice|work|help|be (?:enough|needed|required|useful|good|best|ideal|possible|simpler|easier"
    r"|better|nicer))\b"
    r"|(?:\w+ ){1,3}?(?:(?:asked|begged|wished) (?:for|if|whether|about|me to|us to)\b"
    r"|(?:suggest(?:s|ed)|propose[sd]|recommend(?:s|ed)|thinks?|says?|said|wonders)"
    r" (?:that )?(?:we|i|you|it) (?:should|could|might|ought)\b)"
    r"|(?:warum|wieso|weshalb|wer|wann|woran|welche[rsnm]?|wie ?viele?|pourquoi|quand|por qué|quién|cuándo"
    r"|(?:brauchen|sollen|können|müssen|haben|dürfen|nehmen) wir)\b"
    # Who says so means the contrary of what stands before it.
    r"|.*\bwhat (?:could|can) (?:possibly )?go wrong\W*$"
    # Who is sent to look asks what is to be seen.
    r"|(?:(?:can you|could you|go) )?(?:have a )?(?:look|check|tell me|show me|find out|figure out|see)\b"
    r"(?:(?! (?:only|always|never)\b).)*?\b(?:what|how|why|whether|if|where|which)\b"
    # "Redux or zustand" leaves open which.
    r"|[\w.+#-]+ or [\w.+#-]+(?:\W*$| (?:for|in|on|as|at) (?:\w+ ?){1,4}\W*$))"
)
_RULED = compile_later(
    r"(?i)\b(?:always|never|must(?:n[o']?t)?|rule|from (?:now|today) on|only|instead of|rather than|by default"
    r"|no longer|any ?more|everywhere|nobody|no ?one|decided?|policy|convention"
    r"|stays?|belongs?|wins|don'?t|do not|may not"
    r"|put (?:it |that |this )?off|postponed?|is dead|are dead|is (?:gone|out)|becomes?|exempt|allowed"
    r"|immer|nie(?:mals)?|keine?[nrms]?|nur|ab (?:jetzt|heute|sofort)|statt|nicht mehr|toujours|jamais|siempre|nunca"
    r"|forbidden|at most|at least|max(?:imum)?|for good)\b"
    r"|^\W*(?:[\w.+-]+ ){1,2}it is(?=\W*(?:$|[,.;]))"
    r"|^\W*(?:no (?!\d)|not (?:the|an?|in|on|with|for|as|by|via|to)\b)|\bno \w+(?: \w+)?$|, not \w"
)
_CHOSEN = compile_later(
    rf"(?i){_OPENING}(?:let'?s |we(?:'ll|'re| will)? )?(?:go(?:ing)? (?:with|for|to|back to|down to|up to)|use|stick"
    r"|keep|drop|take|switch to|mov(?:e|ing) to|chang(?:e|ing) to|stay|prefer|back to)\b"
)
_SET = compile_later(
    r"(?i)\b(?:goes|go|went) (?:(?:up|down|back) )?to [~<>]?\d"
    r"|\b(?:set|make|put|raise[ds]?|lower(?:ed|s)?|bump(?:ed)?|cut|change[ds]?)\b.{1,60}?\b(?:to|at|be)? ?[~<>]?\d"
)
#: Who needs a thing has it not, whatever figure stands behind.
_NEEDED = compile_later(
    rf"(?i){_OPENING}(?:we|i)(?: also| still)?(?: need| want|(?: would|['’]d) like)"
    r" (?:an?|some|more|better|another) (?!\d)"
)
_WANTED = compile_later(
    rf"(?i){_OPENING}(?:(?:can|could|would|will) you |you (?:can|should|could) |let'?s |i (?:want|need) you to "
    r"|we (?:need|have|want|ought) to |i'?d like you to )?"
    r"(?:try|get (?:rid|it|me)|fix|add|remove|delete|rename|move|update|write|create|commit|push|show|check|find|look"
    r"|see|run|make|put|clean|refactor|implement|investigate|debug|figure|explain|tell|turn|bump|upgrade|install|test"
    r"|document|note|merge|revert|undo|open|close|split|extract|change|build|give|do|finish|continue|start|stop|wire"
    r"|replace|port|migrate|convert|draw|plot|list|print|set|increase|decrease|raise|lower|reduce)\b(?! ?[:=]|\w*s\b)"
)
_COMPLAINED = compile_later(
    r"(?i)\b(?:terribl[ey]|horribl[ey]|annoying|ugly|a mess|nightmare|broken|weird|noisy|confus\w+|complain\w*|wrong"
    r"|keeps? (?:\w+ing)|(?:doesn'?t|does not|don'?t|won'?t|can'?t|cannot|isn'?t|aren'?t) (?:work|build|compile|start"
    r"|load|converge|show|open|close|respond|find|connect|match|fit|update|save|run|pass)\w*|fail(?:s|ing|ed)?"
    r"|crash(?:es|ing|ed)?|hangs?|flak(?:y|es)|stuck|expired?|gets? (?:\w+ )?(?:killed|stuck|lost|slow\w*)|eats?"
    r"|takes? (?:\w+ ){0,2}\d\w*|falls?|forever|fills? up|times? out|timed out|leaks?"
    r"|come out|too (?:slow|big|many|coarse"
    r"|noisy|long|small|much|weak|late|early|short|few|little|low|high|tight|expensive)|slow(?:er)?|huge|insane|crazy|ridiculous|awful"
    r"|hate|sucks?|headaches?|angry|missing|corrupt(?:ed)?"
    r"|(?:is|are|was|were|goes|went) down(?! to\b)"
    r"|(?:dies|died|(?:they|we|all|\w+s) (?:die|vanish|disappear|freeze|break|crash))"
    r"|(?:did|had|was|were)(?:n'?t| not) (?:run|start|work|build|finish|come|arrive|answer|fire|trigger)\w*"
    # What something does to somebody: "drives me crazy".
    r"|(?:\w+(?:s|ing)|made|drove|gave|cost|scared) (?:me|us))\b|\bagain\W*$"
)
#: What befell somebody, once: "the order from Monday got two labels". It rules nothing.
_BEFELL = compile_later(
    r"(?i)\b(?:got|received|hit|waited|happened|occurred|arrived|ended up|lost|missed|noticed|reported|complained"
    r"|bekam(?:en)?|erhielt(?:en)?|passierte|kam(?:en)?|reçu|recibió|recibieron"
    r"|(?:was|were|has been|have been) (?:\w+ )?(?:late|early|charged|billed|shown|sent|told|delivered|printed|counted)"
    r"|(?:wurde|wurden) (?:\w+ ){0,4}?(?:berechnet|verlangt|geliefert|gedruckt|gezählt))\b"
)
#: What somebody is about to do may be refused: it is not done yet. Of some verbs nobody sees when it was.
_FIRST_PERSON = compile_later(
    r"(?i)^\W*(?:next,? |now,? |then,? )?(?P<who>i|i['’]ll|i['’]m going to) (?P<deed>[a-z]+)\b"
)
_NOT_YET_WORDS = "will would could can should shall may might propose suggest recommend"
_NOT_YET = frozenset(_NOT_YET_WORDS.split())
_OF_ANY_TIME_WORDS = "set put cut let run read hit split want need prefer think like say decide"
_OF_ANY_TIME = frozenset(_OF_ANY_TIME_WORDS.split())
#: What only opens a talk: nothing is said of it yet.
_OPENS = compile_later(
    r"(?i)^\W*(?:speaking of|talking (?:of|about)|regarding|concerning|as for|back (?:from|to work)"
    r"|(?:the )?logs? (?:from|of)|this came|just got|got this|see (?:the )?(?:log|mail|ticket)|here is|here['’]?s)\b"
)
#: "Every 10 minutes, ..."
_VALUE = compile_later(r"[^,]*\d[^,]*(?=, )")


def force_of(text: str) -> Force:
    """The force of a sentence."""
    if _ASKED.search(text) is not None:
        return Force.ASKED
    if _OPENS.search(text) is not None and _CHOSEN.search(text) is None:
        return Force.COMPLAINED
    if _NEEDED.search(text) is not None:
        return Force.WANTED
    is_task = _WANTED.search(text) is not None
    if _CHOSEN.search(text) is not None or _SET.search(text) is not None:
        return Force.RULED
    if _RULED.search(text) is not None:
        return Force.RULED
    if is_task:
        return Force.WANTED
    return Force.COMPLAINED if complains(text) else Force.TOLD


def befell(text: str) -> bool:
    """Whether a text tells what happened to somebody once, and rules nothing."""
    return _BEFELL.search(text) is not None and force_of(text) < Force.RULED


def complains(text: str) -> bool:
    """Whether a text tells what goes wrong. Behind a colon, or a value, that is the reason of what stands before it."""
    head = _VALUE.match(text)
    return _COMPLAINED.search((head[0] if head else text).partition(": ")[0]) is not None


def is_announced(text: str) -> bool:
    """Whether somebody only says what they are about to do, or would."""
    found = _FIRST_PERSON.match(text)
    if found is None:
        return False
    deed = found["deed"].lower()
    is_present = VERB_FORMS.get(deed, ("", ""))[1] == "base" and deed not in _OF_ANY_TIME
    return is_present or deed in _NOT_YET or len(found["who"]) > 1
