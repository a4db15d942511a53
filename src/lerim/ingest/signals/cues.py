"""The words by which people and agents show what they are doing, as data: groups of patterns, English first.

A group's patterns are tried as one regular expression over lower-case text. Patterns are plain alternations without
nested repetition, so matching takes linear time whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache

from lerim.glance import Glance, seldom

#: What somebody wants above other things, always.
_PRIZES = (
    r"\b(?:i|we) (?:also |really |greatly |highly |strongly |always )*value"
    r" (?!(?:your|you|it|that|this|at|is|was|for|in|of|the (?:help|time|input|feedback|effort))\b)"
)

#: What the user does by saying something.
USER: dict[str, tuple[str, ...]] = {
    "reason": (
        r"because|bcz|bcoz|\bcuz|\bcause\b|\bsince\b|so that|such that|otherwise|given (?:that|the|how|we"
        r"|it)|the risk|risky"
        r"|as (?:that|this|it|we|the)\b|this way|that way|due to|in case|to avoid|that'?s why|the reason"
        r"|in order to|which means"
        r"|so (?:we|it|they|i|you|the|users?|people) (?:can|could|don'?t|do not|will|won'?t|should|never|always)",
        r"\bweil\b|\bdamit\b|sonst\b|parce que|afin que|sinon\b|porque\b|para que|já que|ya que|потому|чтобы|иначе"
        r"|因为|因為|以便|否则|なぜなら|ので|ため|왜냐하면|때문|하도록",
    ),
    "prohibit": (
        r"\bdo not\b|\bdon'?t\b|\bdont\b|\bnever\b|\bno need\b|\bstop \w+ing\b|\bavoid\b|must ?n[o']t"
        r"|should ?n[o']t|shouldnt"
        r"|\bno longer\b|no point|\bnot (?:to|be|a|an|the|use|in|by|via|for)\b|\bwithout\b"
        r"|get(?:ting)? rid of|not allowed"
        r"|\b(?:nothing to do|no (?:business|place)|(?:do|does)(?: not|n['’]?t) belong) (?:in|on|into|inside)\b",
        r"nichts (?:zu suchen|verloren)\b|rien à faire dans|nada que hacer en"
        r"|\bniemals?\b|\bnie\b|\bkein\w*\b|nicht mehr|auf keinen fall|\bjamais\b|ne (?:pas|plus)|\bnunca\b"
        r"|ya no\b|\bno uses?\b|não (?:use|usar)"
        r"|никогда|больше не|нельзя|不要|从不|从来不|不再|别再|禁止|しないで|決して|禁止|使わない|절대|하지 ?마|금지",
    ),
    "instead": (
        r"\binstead\b|\brather\b|\bbetter (?:to|if|not|is|off)\b|\bin favou?r of\b|\breplace\w*\b"
        r"|\bswitch(?:ed|ing)? (?:to|from)\b"
        r"|\bprefer\w*\b|\bnot .{3,40}\bbut\b|, not \w+|\buse \S+ (?:and )?not \S+|\bmigrat\w+ to\b|\bover the\b",
        r"\bstatt(?:dessen)?\b|\blieber\b|\bplutôt\b|au lieu|\ben vez\b|\bem vez\b|prefiero|prefiro|вместо"
        r"|лучше|而不是|改用|改成|代わりに|よりも|대신",
    ),
    "rule": (
        r"\balways\b|\bmust\b|\bevery ?time\b|from now on|going forward|\bby default\b|\bonly\b"
        r"|\bmake sure\b|\bensure\b|\bha(?:s|ve) to\b"
        r"|\brequire[ds]?\b|\bin general\b|\bconventions?\b|\bstandards?\b|\bwhenever\b|\bmandatory\b"
        r"|\bprinciples?\b|\bpolicy\b|\bask (?:me |us |first )?before\b",
        r"\bimmer\b|\bmuss\b|ab jetzt|grundsätzlich|\btoujours\b|désormais|\bsiempre\b|a partir de ahora"
        r"|\bsempre\b|a partir de agora"
        r"|всегда|отныне|должн|总是|始终|一律|必须|以后都|今後|必ず|常に|항상|반드시|앞으로",
    ),
    "standing": (
        r"\balways\b|\bnever\b|(?<!days )(?<!day )(?<!weeks )(?<!week )(?<!months )(?<!month )(?<!years )(?<!year )"
        r"(?<!hours )(?<!hour )(?<!minutes )from now\b|going forward|\bby default\b|\bin (?:the )?future\b"
        r"|\beach time\b"
        r"|\bmake (?:this|that|it) (?:a |the |our |my |your )?(?:standard|default|rule|habit|convention|policy)\b"
        rf"|{_PRIZES}"
        r"|\b(?:general|house|hard|golden|ground) rules?\b|\bno\b[^.?!]{2,60}\bever\b(?! since)"
        r"|\bevery ?time\b|\bwhenever\b|\bas a rule\b|\bno longer\b|\bi (?:really )?prefer\b"
        r"|\bwe decided\b|\bit was decided\b|\bforever\b|\bask (?:me |us |first )?before\b",
        r"\bimmer\b|\bniemals?\b|\bnie\b|ab jetzt|ab sofort|künftig|\btoujours\b|\bjamais\b|désormais"
        r"|à partir de maintenant|\bsiempre\b|\bnunca\b|a partir de ahora|de ahora en adelante|\bsempre\b"
        r"|a partir de agora|de agora em diante"
        r"|всегда|никогда|отныне|впредь|总是|始终|永远|从不|不要再|以后|今後|必ず|常に|絶対|항상|절대|앞으로|언제나",
    ),
    "should": (
        r"\bshould\b|\bought\b|\bsupposed to\b|\bneeds? to\b|\bwe need\b|\bi need\b",
        r"\bsoll\w*\b|\bdevrait\b|\bdebería\b|\bdeveria\b|следует|应该|應該|べき|해야",
    ),
    "want": (
        rf"{_PRIZES}|\bi(?:'d| would)? (?:also )?(?:want|like|love|prefer|expect|hate|need)\b|\bi'?d (?:rather"
        r"|like)\b|\bwe want\b|\bi (?:don'?t|do not) (?:want|like|need)\b"
        r"|\bwould be (?:nice|good|better|great)\b|\bwe (?:don'?t|do not) (?:want|need)\b",
        r"ich (?:will|möchte|mag)|je (?:veux|préfère|voudrais)|\bquiero\b|\bquero\b|\bхочу\b|我想|我要|我希望|欲しい"
        r"|たい(?:です)?|원해|싶",
    ),
    "decide": (
        r"\blet'?s\b|\bwe should\b|\bwe(?:'ll| will| can)\b|\bgo(?:ing)? (?:with|for|ahead with)\b"
        r"|\bdecided?\b|\bdecision\b|\bkeep\b|\bdrop\b|\bremove\b"
        r"|\brenamed?\b|\bmove\b|\bstick (?:with|to)\b|\bchoose\b|\bopt\b|\bwe are (?:not )?(?:going|using"
        r"|archiv|mov|remov|dropp)|\buse (?:the|a|an|only|our|it)\b",
        r"\blass(?:t)? uns\b|entschieden|wir nehmen|décidé|on (?:va|garde|utilise)|decidimos"
        r"|hemos decidido|vamos a|vamos usar|решили|давай|решено"
        r"|决定|決定|我们用|采用|に決め|にしよう|ことにした|결정|하기로|사용하자",
    ),
    "opinion": (
        r"\bi (?:think|feel|believe|prefer)\b|\bimo\b|\bimho\b|\bin my opinion\b|\bi'?d (?:say|argue"
        r"|rather)\b|\bmakes? sense\b",
        r"ich (?:finde|denke)|je pense|creo que|acho que|我觉得|我认为|と思う|생각",
    ),
    "report": (
        r"\bi (?:see|saw|got|get|tried|ran|did|cleared|noticed|found|had|just|can see|am (?:setting"
        r"|running|seeing|getting))\b|\bi'?ve\b|\bhere(?:'s| is)\b|\bit (?:says|shows|fails|failed)\b"
        r"|\bwhen i\b|\bnow i\b|\blooks like\b",
    ),
    "explore": (
        r"\b(?:can|could|would) (?:you|we|u) (?:please |also |just |somehow )?(?:check|see|explain"
        r"|analy\w+|look|tell|help|summari\w+|find|show|recheck|review|verify|validate|investigate"
        r"|research|compare|ask|list|discuss|confirm|give)\b|\bwhat (?:is|are|does|do|did|would|about|else"
        r"|normally|kind)\b|\bwhat'?s\b|\bhow (?:does|do|is|are|can|would|tolerant|about)\b|\bis there\b"
        r"|\bare there\b|\bdo (?:they|you|u) (?:have|know|mention)\b|\bwhere (?:is|are|does|do)\b"
        r"|\bany ideas?\b|\bwhat do you think\b|\bdo an? (?:\w+ )?(?:analysis|review)\b",
    ),
    "provisional": (
        r"\bfor now\b|\bfor the moment\b|\btemporar\w+|\buntil we\b|\binitially\b|\bto start with\b"
        r"|\bat first\b|\bas a start\b",
        r"\bvorerst\b|fürs erste|pour l'instant|por ahora|por enquanto|пока что|暂时|先这样|とりあえず|당분간|일단",
    ),
    "defer": (
        r"\blater\b|\bdefer\w*\b|\bfollow[- ]?up\b|\beventually\b|\bout of scope\b|\bpostpone\w*\b"
        r"|\bnot now\b|\bnext (?:phase|pr|version|release)\b|\bin the future\b|\bbacklog\b|\btodo\b"
        r"|\bnot yet\b",
    ),
    "remember": (
        r"\bremember\b(?! (?:when|how|the time))|\bmemori[sz]e\b|\bnote (?:this|that|to|down|also)\b"
        r"|\bmake (?:a )?note\b|\bkeep in mind\b|\bdocument (?:this|that|it|the)\b"
        r"|\bdon'?t forget\b|\bwrite (?:this|that|it) down\b|\bas (?:a )?learning\b|\bnever (?:again"
        r"|repeats?|happens?)\b|\bfor (?:the )?(?:future|record|next time)\b|\bbear in mind\b|\bfyi\b",
        r"\bmerk(?:e|t)?\b.{0,8}\bdir\b|\bvergiss nicht\b|souviens|retiens|n'oublie pas|\brecuerda\b"
        r"|\bno olvides\b|\blembre\b|\bnão esqueça\b|\bзапомни\b|не забудь"
        r"|记住|記住|记得|别忘|覚えて|忘れないで|기억해|잊지",
    ),
    "fact": (
        r"\bwe (?:use|have|are|run|support|already|don'?t|do not|no longer|only|currently|also|actually)\b"
        r"|\bi (?:use|have|am|run|no longer|only|don'?t)\b|\bi'?m (?:on|using|running)\b|\bour\b"
        r"|\bdoes ?n[o']t\b|\bis ?n[o']t\b"
        r"|\bno longer\b|\bcurrently\b|\bpreviously\b|\bsupports?\b|\bkeeps\b|\bthere(?:'s| is| are)\b"
        r"|\bit(?:'s| is)\b|\bthat(?:'s| is)\b",
    ),
    "define": (
        r" == | := |\bmeans\b|\bis called\b|\bstands for\b|\brefers? to\b|\bis defined\b|\bi mean\b"
        r"|\bcall (?:it|them|this)\b|\bnam(?:e|ed|ing)\b|\bterminology\b|\bthe word\b",
    ),
    "agree": (
        r"^(?:yes|yep|yup|yeah|ya|y|ok|okay|k|sure|agreed?|sounds|perfect|great|go ahead|do it|correct"
        r"|right|exactly|looks good|lgtm|fine|cool|nice|good|awesome|love it|makes sense|that works"
        r"|proceed|please do|absolutely|definitely|indeed|true)\b",
        r"^(?:ja|genau|klar|oui|d'accord|sí|si|vale|claro|sim|да|хорошо|好|好的|可以|行|はい|うん|네|응|좋아)",
    ),
    "deny": (
        r"^(?:no|nope|nah|na|wrong|wait|hmm+|hm|actually|but|stop|ugh|wtf|nooo*|never ?mind|not)\b"
        r"|\bthat'?s (?:not|wrong)\b|\byou(?:'re| are) wrong\b|\bu are wrong\b|\bincorrect\b"
        r"|\bthat is (?:not|wrong)\b|\bis wrong\b|\bi disagree\b"
        r"|\b(?:doesn'?t|does not|don'?t|do not) (?:make sense|think so|agree|like)\b|\bnot what i\b"
        r"|\bi didn'?t (?:ask|say|mean|want)\b|\byou (?:missed|forgot|misunderst\w+|broke|ignored)\b"
        r"|\bbullshit\b|\bshouldn'?t (?:you|we|it|this|that|the)\b",
        r"^(?:nein|falsch|non|no,|não|нет|неправильно|不|不是|不对|いや|違う|아니)",
    ),
    "undo": (
        r"\brevert\b|\bundo\b|\bremove (?:this|that|it|the)\b.{0,30}\bagain\b|\broll ?back\b|\bback to\b"
        r"|\bstuff it\b|\bscrap\b|\bforget (?:it|that|about)\b|\bon second thought\b|\bchanged my mind\b"
        r"|\bnever ?mind\b|\bactually\b|\bundone\b|\bput (?:it|that) back\b",
    ),
    "request": (
        r"\b(?:can|could|would|will) (?:you|u|we)\b|\bplease\b|\bpls\b|\bplz\b|\bhelp me\b"
        r"|\b(?:kannst|könntest|würdest|magst) du\b|\bpeux[- ]tu\b|\bpou[rv]\w+[- ]vous\b|\bpuedes\b|\bpodrías\b"
        r"|\bkun je\b",
    ),
    "task": (
        r"^(?:(?:ok(?:ay)?|yes|yep|now|then|and|also|great|cool|good|please|so|alright|perfect|sure"
        r"|can you|could you|can we|let'?s|lets|please)[, .:]+)*"
        r"(?:run|commit|push|merge|pull|check|look|show|open|read|review|fix|rebase|create|update|add|test"
        r"|deploy|start|continue|proceed|try|explain|list|give|tell|find|clean|delete|implement"
        r"|investigate|analy[sz]e|summari[sz]e"
        r"|verify|switch to (?:main|master|branch)|checkout|get back|write|build|install|restart|resume"
        r"|rerun|help|search|compare|research|generate|download|monitor|wait|retry|squash|tag|release|bump"
        r"|close|reply|respond|post|set up|setup)\b",
    ),
    "challenge": (
        r"\bshouldn'?t\b|\bshould (?:it|we|this|that|they) not\b|\bwhy (?:do|are|is|not|don'?t|doesn'?t"
        r"|would|did|keep|can'?t|isn'?t)\b|\bisn'?t (?:it|that|this|there)\b|\bwouldn'?t\b"
        r"|\bdo we (?:really|even|still|need)\b|\bare we\b|\bis it (?:really|not|better|possible)\b"
        r"|\bdoes(?:n'?t)? (?:it|that|this) make\b|, right\b|\bno\?$|\bright\?",
    ),
    "idea": (
        r"\bwhat if\b|\bhow about\b|\bwhat about\b|\bcould we\b|\bcan we\b|\bwe could\b|\bwonder\b"
        r"|\bidea\b|\bplaying with\b|\boption\b|\bexperiment\b",
    ),
    "absolute": (r"\bNEVER\b|\bALWAYS\b|\bMUST\b|\bNOT\b|\bONLY\b|!!+",),
    "error": (
        r"\berrors?\b|\bfail(?:s|ed|ing|ure)?\b|\bbroken?\b|\bcrash\w*|\bbugs?\b|\bexception\b|\bissue\b"
        r"|\bproblem\b|\bnot work\w*|\bdoesn'?t work\b|\bhangs?\b|\bstuck\b",
    ),
}

#: What the agent does by saying something.
AGENT: dict[str, tuple[str, ...]] = {
    "cause": (
        r"\broot cause\b|\bcaused by\b|\bthe (?:real|actual|underlying|core) (?:issue|problem|cause|bug"
        r"|reason)\b|\bturns out\b|\bthe reason\b|\bculprit\b|\bthe (?:issue|problem|bug) (?:is|was)\b"
        r"|\bfound the (?:root )?cause\b|\bthe cause (?:is|was)\b"
        r"|\bthat'?s why\b|\bwhich is why\b|\bthis is why\b|\bexplains\b",
    ),
    "because": (
        r"\bbecause\b|\bsince\b|\bso that\b|\botherwise\b|\bdue to\b|\bto avoid\b|\bmeaning\b"
        r"|\bwhich means\b|\btherefore\b|\bhence\b",
    ),
    "trap": (
        r"\bgotcha\b|\bcaveat\b|\bpitfall\b|\bbeware\b|\bcareful\b|\bimportant(?:ly)?\b|\bsilently\b"
        r"|\bonly works\b|\bdoes(?:n'?t| not) (?:support|work|have|exist|handle|include|expose|allow"
        r"|know)\b|\bfails? (?:when|if|because|on|with)\b|\bbreaks?\b|\bblocks\b|\bdeadlock\w*\b|\brace\b"
        r"|\bstale\b|\bnot enough\b|\bunlike\b|\bmisleading\b|\bedge case\b|\bregression\b|\bleak\w*\b"
        r"|\bhang\w*\b",
    ),
    "limit": (
        r"\bcannot\b|\bcan'?t\b|\bnever\b|\bmust\b|\brequires?\b|\bwon'?t\b|\bonly\b|\balways\b"
        r"|\bno longer\b|\bnot supported\b|\bunsupported\b|\bwithout\b|\bneeds?\b",
    ),
    "ack": (
        r"\byou(?:'re| are) (?:absolutely |completely |totally )?(?:right|correct)\b|\bgood (?:catch|point"
        r"|call|idea|instinct|thinking)\b|\bmakes sense\b|\bagreed?\b|\bexactly\b|\bfair\b"
        r"|\bgreat (?:catch|point|call|idea)\b|\bunderstood\b|\bgot it\b|\babsolutely\b|\bcorrect\b"
        r"|\bthat'?s a (?:good|great|clever|better|crucial|valid|real|fair|much)\b|\bnice catch\b"
        r"|\bsounds good\b|^yes\b|^right\b|\bvalid (?:point|concern)\b",
    ),
    "retract": (
        r"\bi was wrong\b|\bmy mistake\b|\bsorry\b|\bi apologi[sz]e\b|\bi misread\b|\bi misunder\w+"
        r"|\bincorrectly\b|\bi should have\b|\bmy (?:bad|earlier|previous|assumption)\b|\bi conflated\b"
        r"|\bi overcomplicated\b|\bi overlooked\b|\byou(?:'re| are) (?:absolutely )?right\b",
    ),
    "recommend": (
        r"\bi(?:'d| would) (?:recommend|suggest|go with|lean|keep|propose|use|say)\b|\brecommend\w*\b"
        r"|\bmy (?:take|pick|preference|vote|suggestion|lean)\b|\bbest (?:option|approach|fix|practice)\b"
        r"|\bsimplest\b|\bcleanest\b|\bpropos\w+\b|\bi suggest\b|\bbetter (?:to|approach|option|fit)\b"
        r"|\bshould\b",
    ),
    "offer": (
        r"\bwant me to\b|\bwould you like\b|\bshall i\b|\bshould i\b|\blet me know\b|\bif you (?:want|like"
        r"|prefer|'d like)\b|\bdo you want\b|\bi can (?:also )?\w+|\bsay the word\b|\bready to\b"
        r"|\bready for\b|\bwhich (?:do|would|one|option)\b|\bhappy to\b|\bwhat(?:'s| is) your preference\b"
        r"|\bthoughts\b",
    ),
    "narrate": (
        r"^(?:let me|now |i'?ll |i will |i'?m |i am |i’ll |i’m |next|first,|looking|checking|good[,.]? "
        r"|great[,.]? |perfect[,.]? |ok(?:ay)?[,.]? |done|here'?s|the (?:tests?|build) (?:pass|are|is)"
        r"|all (?:tests|checks|green|done)|tests? pass|now i|still |running|waiting|continuing|moving on"
        r"|committed|pushed|created|updated|added|no output)",
    ),
    "decided": (
        r"\bdecided\b|\bdecision\b|\bdeliberate\w*\b|\bby design\b|\bintentional\w*\b|\binstead of\b"
        r"|\brather than\b|\breplac\w+\b|\bswitch\w* (?:to|from)\b|\bkeep(?:s|ing)?\b|\bstays?\b"
        r"|\bdropp\w+\b|\bnow (?:uses?|lives?|goes)\b|\bsingle source of truth\b|\bconvention\b"
        r"|\bno longer\b|\bin favou?r of\b",
    ),
}


#: Groups whose `^` means the beginning of any line.
_BY_LINE = frozenset({"agree", "deny", "task", "narrate"})
#: What may be absent, repeated or one of several: an alternative's plain text stands between such pieces.
_LOOSE = re.compile(r"\\.[?*+]?|\[[^\]]*\][?*+]?|.(?:[?*+]|\{[\d,]+\})|[.^$]")
_GROUP = re.compile(r"\((?:[^()\\]|\\.)*\)[?*+]?(?:\{[\d,]+\})?")


_Alternatives = tuple[tuple[str, str], ...]


_LASTS = re.compile("|".join(USER[group][0] for group in ("standing", "remember")))


def lasts_in_english(text: str) -> bool:
    """Whether an English word says that it shall last, rather than one of another language."""
    return _LASTS.search(text.lower().replace("’", "'")) is not None


def user_says(group: str, text: str) -> bool:
    """Whether the user's words, in lower case, show a cue of the group."""
    return _shows(USER, group, text)


#: Who allows something takes back that it was forbidden.
_ALLOWS = seldom(
    r"\b(?:fine|ok|okay|allowed|safe|possible|permitted)(?: to [\w ./-]{3,60}?)? (?:now|again|from now on)\b"
    r"|(?<!that )(?<!this )(?<!it )(?<!what )(?<!how )(?<!rest )\b(?:is|are) (?:ok|okay|fine|allowed|enough)\b"
    r"(?! for now)",
    re.I,
)
#: What is so now and was not so before ends what was said then, however little is said of it.
_CHANGES = seldom(
    r"\bno more \S|\bno (?!longer\b|one\b|way\b|problems?\b|idea\b|errors?\b|issues?\b)(?:[\w-]+ ){1,4}?any ?more\b"
    r"|\b(?:not|\w+n['’]?t)\b.{2,60}\bany ?more\b"
    r"|\b(?:is|are|gets?|being|been) (?:gone|dead|retired|decommissioned|history|replaced)\b"
    r"|\b(?:can|has to|have to|must) go\W*(?:$|,)"
    r"|\bwe(?:['’]?re| are) (?:on|at|using) .{2,60}\bnow\b"
    r"|\bwe (?:have |['’]ve )?(?:stopped|ceased|quit) (?!get|receiv|see|hav|wait|hear|look|try)[a-z]+ing \w"
    r"|\bwe(?:['’]?re| are|['’]ve| have)? (?:now )?"
    r"(?:mov(?:e|ed|ing)|switch(?:ed|ing)?|migrat(?:e|ed|ing)|go|going|went)\b.{0,60}"
    r"\b(?:to|over|off|away|back|on|with)\b|\bmoved (?:over )?to\b"
    r"|\b(?:is|are) (?:at )?v?\d[\w.]*\+?(?: \w+)? now\b"
    r"|\b(?:is|are) now\b|\b(?:is|are) out\W*(?:$|[,;.])"
    r"|\b(?:does(?:n['’]?t| not)|do(?:n['’]?t| not)) (?:hold|apply|count|go) (?:for|to)\b"
    r"|^\W*\w[\w /-]{2,30}: (?:at most |max |min |up to )?\$?\d"
    r"|\bdecided against\b|\boff the table\b|\b(?:takes?|took|taking) over\b|\breplaces?\b|\bstop with\b"
    r"|\bwe (?:\w+ )?(?:stay|stick|keep) (?:on|with|to|in|at)\b"
    r"|\b(?:do|go|live|run|use|hold|handle|come|need|require|support|take|keep|store|serve|build|deploy|ship)(?:es|s)?\b"
    r".{2,60}\bnow\W*(?:$|,)"
    r"|\b(?:is|are|runs?|uses?|does) (?!broken|failing|down|flaky|red|slow).{2,60}\bagain\W*(?:$|,)"
    # "Bump it to 0.3.2" is work.
    r"|\b(?:bump|raise|lower|increase|decrease|reduce|change|cut)\b .{3,50}\bto \$?\d(?!\d*\.\d+\.\d)"
    r"|\b(?:scrap|ditch) (?:the|our|that|those|all)\b|\bbring back\b|\bmake (?:it|that|them) \$?\d"
    r"|\bgo(?:es)? (?:up|down) to \$?\d"
    r"|\b(?:owns?|runs?|handles?|does|maintains?|signs?|approves?|reviews?) (?:it|that|them) now\b"
    # "Paypal we throw out", "we left Strapi": what is given up; "we leave it as it is" keeps it.
    r"|\bwe (?:\w+ )?(?:throw|threw|kick|kicked|take|took|rip|ripped|phase|phased) (?:[\w-]+ ){0,3}out\b"
    r"|\bwe (?:\w+ )?(?:leave|left|quit|cancell?ed|abandon(?:ed)?|gave up|give up|retired?|discontinued?)"
    r" (?!(?:it|that|this|them|those|these|out|for|to|in|on|at|as|alone|everything|the rest)\b)[\w-]"
    r"|\b(?:may|can) (?!you\b|i\b).{2,60}\bagain\b(?=\W*(?:$|[,;.]))"
    r"|\b(?:can|may) (?:be|get) (?:\w+ )?(?:now|(?:switched|turned) off)\b"
    r"|\b(?:is|are) (?:frozen|off[- ]limits|read[- ]only|end of life|eol)\b",
    re.I | re.M,
)
#: The same at the end of a clause, whatever its verb is.
_NOW = re.compile(
    r"(?=now)(?<!right )(?<!for )(?<!until )(?<!by )(?<!it )(?<!that )(?<!this )\bnow\W*(?:$|[,;])", re.I | re.M
)
#: What is to be done now is no news.
_AT_ONCE = re.compile(r"\b(?:don['’]?t|do not|fix|try|let['’]?s|lets|can|could|please|pls|what|why|how|should)\b", re.I)


@lru_cache(maxsize=4096)  # Each clause is asked about by who weighs it and by who words it.
def says_otherwise(text: str) -> bool:
    """Whether the user says that something is otherwise now, or gives it up: "fine by me" allows, and says no such
    thing."""
    return _CHANGES.search(text) is not None


@lru_cache(maxsize=4096)  # As above.
def tells_change(text: str) -> bool:
    """Whether the user says what is so now, or may be done, and was not before."""
    if _ALLOWS.search(text) is not None or says_otherwise(text):
        return True
    return _NOW.search(text) is not None and _AT_ONCE.search(text) is None


#: Who says so takes back what was said last, whatever words that had.
_SCRAPS_THAT = re.compile(
    r"(?:^|[.,;!] ?|\b(?:ok|okay|no|hm+|argh|so|then|and|but|wait|actually) )"
    r"(?:scrap|scratch|forget|nix|drop|undo|revert|ditch)"
    # "Scrap that with the console" is said of the console.
    r" (?:that|it|this|all that)\b(?! (?:the|a|an|with|about|of|on|for|in|from|\w+ (?:thing|rule|idea|stuff))\b)"
    r"|^(?:(?:hm+|argh|oh|ah|sorry)[,.]* )?(?:no|nah|hm+|argh|oh|ah),? wait\b(?! for)"
    r"(?!,? (?:why|where|what|how|you|did|does|is|are|there)\b)",
    re.I,
)


#: The same of what stands right before it in a message: "use pnpm... hm no scrap that, use bun".
SCRAPS_AT_ONCE = re.compile(
    r"(?:(?:ah|oh|hm+|no|nah|wait|actually|ok),? )*(?:scrap|scratch|forget|ignore|nix) (?:that|it|this)\b"
    r"|never ?mind\b",
    re.I,
)
#: The same with what holds instead: "logs stay 90 days. no wait, legal says 30".
PUTS_RIGHT_AT_ONCE = re.compile(
    r"(?:(?:ah|oh|hm+|argh|sorry|ach)[,.]? )*"
    r"(?:no,? wait|wait,? no|actually,? no|no,? actually|sorry,? no|on second thoughts?|make that|correction"
    r"|(?:no|sorry),?(?= \d))"
    r"[,:.]*\s+(?!(?:why|where|what|how|did|does|is|are)\b)(?=\S)",
    re.I,
)
_NEW_SENTENCE = re.compile(r"(?<!\.)[.;!]")
_WORD = re.compile(r"[^\W\d_]{2,}")
_LEADS_TO_IT = re.compile(
    r"\b(?:ok(?:ay)?|no|nah|nope|hm+|argh|so|then|and|but|wait|actually|oh|ah|well|sorry|yes|yeah|also|just|please|pls|sure"
    r"|on second thoughts?|i changed my mind|let['’]?s|we can|you can|thanks|good|nice|great)\b",
    re.I,
)


#: What somebody found out themselves, or warns of.
FOUND_OUT = re.compile(
    r"\b(?:found|figured) out (?:why|how|that|what)\b|\bturn(?:s|ed) out\b(?! (?:to be )?(?:fine|ok|good|great|well))"
    r"|\b(?:be )?careful with\b|\bwatch out\b|\bbeware\b|\bgotcha\b[^?]{0,30}:|\bgood to know\b|\bherausgefunden\b",
    re.I,
)


def scraps_that(text: str) -> bool:
    """Whether a message takes back what was said right before it. "The log spam, forget it" is said of the log, and
    "use pnpm... hm no scrap that" of what stands before it."""
    found = _SCRAPS_THAT.search(text[:200])
    if found is None or found.start() == 0 or _NEW_SENTENCE.match(text, found.start()):
        return found is not None
    begins = max(text.rfind(mark, 0, found.start()) for mark in ".…!?\n") + 1
    led = _LEADS_TO_IT.sub("", text[begins : found.start()])
    return len(_WORD.findall(led)) <= 1 and not text[:begins].endswith(("..", "…"))


@lru_cache(maxsize=4096)
def user_cues(text: str) -> frozenset[str]:
    """Every group of cues the user's words show."""
    return frozenset(_groups("user", text.lower().replace("’", "'")))


@lru_cache(maxsize=16384)
def agent_cues(text: str) -> frozenset[str]:
    """Every group of cues the agent's words show."""
    return frozenset(_groups("agent", text.lower().replace("’", "'").lstrip("*# ")))


def _groups(whose: str, text: str) -> Iterator[str]:
    groups = _everything(whose)
    likely = (groups[place] for place in _glance(whose).likely(text))
    return (group for group, alternatives in likely if _found(group, alternatives, text))


def _shows(groups: dict[str, tuple[str, ...]], group: str, text: str) -> bool:
    return _found(group, _alternatives(groups[group]), text)


def _found(group: str, alternatives: _Alternatives, text: str) -> bool:
    # Looking for a piece of plain text is far quicker than matching, and most alternatives are not there.
    for plain, pattern in alternatives:
        if plain in text and _compiled(pattern, re.MULTILINE if group in _BY_LINE else 0).search(text) is not None:
            return True
    return False


@cache
def _everything(whose: str) -> tuple[tuple[str, _Alternatives], ...]:
    """Every group of somebody's cues with its alternatives, put together once."""
    return tuple((group, _alternatives(patterns)) for group, patterns in (USER if whose == "user" else AGENT).items())


@cache
def _glance(whose: str) -> Glance:
    """All groups of somebody's cues, looked for at once: most are not there."""
    groups = USER if whose == "user" else AGENT
    return Glance(*(f"{'(?m)' * (group in _BY_LINE)}{'|'.join(patterns)}" for group, patterns in groups.items()))


@cache
def _compiled(pattern: str, flags: int) -> re.Pattern[str]:
    return re.compile(pattern, flags)


@cache
def _alternatives(patterns: tuple[str, ...]) -> _Alternatives:
    """The alternatives by the plain text each cannot match without. Those that share it are one pattern."""
    found: dict[str, list[str]] = {}
    for pattern in patterns:
        for alternative in _split(pattern):
            found.setdefault(_plain(alternative), []).append(alternative)
    return tuple((plain, "|".join(alternatives)) for plain, alternatives in found.items())


def _split(pattern: str) -> list[str]:
    """The pattern's alternatives: what stands between the bars outside of all groups."""
    found, depth = [""], 0
    for character in pattern:
        depth += (character == "(") - (character == ")")
        if character == "|" and not depth:
            found.append("")
        else:
            found[-1] += character
    return found


def _plain(alternative: str) -> str:
    """The longest text that stands in whatever the alternative matches; empty when nothing does."""
    while (without := _GROUP.sub("\0", alternative)) != alternative:
        alternative = without
    return max(_LOOSE.sub("\0", alternative).split("\0"), key=len)
