# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""What is asked of a text, as translating or judging it, and what is asked of the work. Pure."""

from __future__ import annotations

import re

from lerim.glance import seldom
from lerim.ingest.naming_texts import LANGUAGE, POLITE, TEXT, THIS, TONE

# Asked of a text, whatever ends the sentence: a colon, a question mark, or the line.
PROCESS = seldom(
    rf"""^\W*{POLITE}(?:
      translat\w*\b(?=\W*$|\W+(?:(?:{THIS}|it|below|for\ me)\b|.{{0,60}}\b(?:in|into|to)\ (?:\w+\ )?{LANGUAGE}))
    | (?:summari[sz]e|sum\ up|tl;?dr|rephrase|paraphrase|reword|proof-?read|spell-?check|fact[-\ ]?check)\b
    | (?:fix|check|correct|improve|polish)\ (?:(?:the|my|his|her|their|this|(?:my|our|the)\ \w+['’]s)\ )?(?:grammar|spelling|typos?|wording|tone|english)
    | (?:rewrite|redo|say)\ (?:it|them|this|that)\b.{{0,30}}\b(?:tone|style|voice|words|language|{LANGUAGE})
    | (?:how|what)\ (?:would|do|should|can|could)\ (?:you|i|we|one)\ (?:say|put|phrase|word|translate)\b
    | compare\ (?:these|those|both|the\ (?:two|following|three))\b
    | (?:rewrite|turn|make|convert|put|shorten|soften|polish|edit|correct)\ {THIS}\ (?:as|into|in(?!\W*$|\ (?:the|our|my|there|place)\b)|to
      |in\ the\ (?:style|form|tone|voice|language|words)|sound|so|more|less|{TEXT})
    | (?:explain|interpret|analy[sz]e|decode|classify|rate|grade|judge|roast)\ (?:me\ )?{THIS}(?:\W*$|\ (?:\w+\ )?{TEXT})
    | (?:reply|respond|react|answer)\ (?:to\ )?(?:{THIS}|him|her|them)\b(?!\ (?:issue|ticket|review))
    | what\ (?:does|do|did|could|might)\ {THIS}\ (?:\w+\ )?(?:{TEXT}\ )?(?:mean|say|want|imply)\b
    | what\ (?:do|would|did)\ you\ (?:think|make|say)\ (?:of|about|to)\ {THIS}\ (?:\w+\ )?{TEXT}
    | (?:how|what)\ (?:would|should|do|can|could)\ (?:you|i|we)\ (?:reply|respond|answer|react|write\ back)\b
    | (?:\w+\ ){{0,3}}(?:this|that|it|these)\ (?:(?:a\ (?:bit|little)|sound|read|look)\ ){{0,2}}
      (?:(?:more|less)\ {TONE}|(?:{TONE}|in\ {LANGUAGE}))
    | what['’]?s\ your\ (?:opinion|take|view)\ (?:on|of|about)\b|(?:could|can)\ you\ make\ sense\ of\b
    | (?:polish|clean|tidy|spruce)\ (?:this|that|it)\ up\b|grammarly\b|(?:convert|turn|format)\ (?:this|that|it)\ (?:in)?to\b
    | (?:spot|find|correct|mark|list|point\ out)\ (?:the|all|any)\ (?:\w+\ )?(?:mistakes|errors|typos|fallac\w+|lies)\ in\ (?:the|{THIS})\ {TEXT}
    | (?:is|are|was|could|does|might)\ (?:this|that|these|it|the\ following)\b.{{0,40}}
      \b(?:phish\w*|spam|scams?|legit\w*|fraud\w*|fake|genuine|hoax|suspicious|malicious|prompt\ injection|injected)
    | is\ {THIS}\ (?:\w+\ )?{TEXT}
    )""",
    re.IGNORECASE | re.VERBOSE,
)
# A question of the user's about the work: "Can you …", "are we …", "why does the test fail". Any other that stands alone
# above a text asks about that text.
AT_WORK = seldom(
    r"""\b(?:we|we['’]\w+|our|code|tests?|functions?|class(?:es)?|methods?|files?|builds?|buttons?|bugs?|features?|endpoints?|quer(?:y|ies)|modules?|imports?|slow|fail\w*
    |work(?:s|ing)?|run(?:s|ning)?|broken|implement\w*|repo\w*|branch\w*|commit\w*|deploy\w*|database|table|server|api|app|ui|config\w*|fix|add|rename|refactor|change|issue
    |error|plan|project|session|log)\b|[`_/(){}=]|\w\.\w""",
    re.IGNORECASE | re.VERBOSE,
)
ABOUT_WORK = seldom(
    rf"""{AT_WORK.pattern}
    | (?:^|[.!,;]\ *)\W*(?:so\ |and\ |ok,?\ |hey,?\ |please\ )?(?:can|could|would|will)\ (?:you|i)\b
    | \b(?:kannst|könntest|können|peux|pouvez|pourrais|puedes|podrías|puoi|potresti|pode|podes|kun|kan|możesz|можешь|можете)\b|\b\w+\ misin
    | (?:做|改|加|修|して|해\ ?줘)""",
    re.IGNORECASE | re.VERBOSE,
)
# Words of one topic, by their stems: work on words, which nobody asks of code. In the languages people write in.
WORDCRAFT = seldom(
    r"""\b(?:
      translat(?!ion|or)|proof-?read|paraphras|rephras|reword|wording\b|spell-?check|grammar\b|typos?\b|gist\b|tl;?dr|sum\ (?:it|this)\ up
    | (?:polite|friendl|kinder|nicer|formal)\w*\b|sentiment\b|anonymi[sz]e|headline\b|haiku\b|poem\b|essay\b|tweet\b|lyrics\b
    | plain\ (?:words|english|language)|(?:detect|identify|which|what)\ (?:the\ )?language|(?:this|that|the|which|following)\ (?:sentence|paragraph|phrase|passage)
    | fact[-\ ]?check|citation|slogan\b|phishing|spam\b|scams?\b|hoax|legit\b|(?:re)?format\ (?:this\ |it\ )?as\ a\ (?:table|list|letter)|bullet\ points\b
    | übersetz|höflich|korrigier|rechtschreib|grammati[ck]|formulier|zusammenfass|fass\w*\b.{0,40}\bzusammen|(?:dies\w*|der|den|welcher)\ (?:satz|text|brief)|erklär\w*\ (?:mir\ )?(?:das|dies)|(?:das|dies)\ erklär
    | was\ (?:heißt|bedeutet|meint)|betrug\b|seriös|lektor|(?:das|dies|den\ text|diese\ mail)\ (?:\w+\ )?(?:kürzer|höflicher|freundlicher|besser|netter)
    | relire|relis\b|tradui|traduc|traduz|traduç|(?:ce|cette|esta|este|questa|essa)\ (?:phrase|texte|frase|texto|carta|lettre)|orto(?:graf|graph)|résume|reformul|corrig|corrij|corregg
    | (?:cette|ce|questa|questo|esta|este|essa|diese[mnrs]?|deze|dit)\ (?:e-?mail|mail|sms|message|messaggio|mensaje|mensagem|nachricht|bericht|correo|avis|aviso)
    | resum[ao]\b|resumi[rn]|résum|resúm|riassum|signific|veut\ dire|arnaque|hameçon|estafa|golpe\b|truffa|expli(?:que|ca)(?:[rz]|me|mi|moi)?\b|spiega
    | vertaal|vertal|(?:deze|dit)\ (?:zin|tekst)|samenvat|vat\b.{0,30}\bsamen|betekent|oplichting|leg\b.{0,20}\buit
    | przetłumacz|przetlumacz|tłumacz|pisown|podsumuj|streść|to\ zdanie|ma\ na\ myśli|co\ (?:to\ )?znaczy|oszustw|wyjaśnij|popraw\b|sprawdź
    | översätt|oversæt|oversett|sammanfatt|den\ här\ (?:texten|meningen)|betyder|stavning|çevir|özetle|bu\ (?:cümle|metin)|ne\ demek
    | перев(?:ед|ест)|орфограф|резюмир|перескажи|исправь|ошибки\ в|(?:это|этот)\ (?:предложени|текст)|что\ (?:это\ )?(?:\w+\ )?значит|фишинг|развод\b|мошен|объясни
    )|翻译|翻譯|总结|總結|概括|润色|潤色|校对|校對|钓鱼|釣魚|诈骗|詐騙|什么意思|什麼意思|语法|翻訳|文章|要約|校正|意味|文法|フィッシング|詐欺|번역|요약|교정|피싱|사기|무슨\ 뜻|문법
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What is asked about a text behind it, or said of its author.
ASKED_ABROAD = seldom(
    r"""\bwas\ (?:hältst|denkst|meinst)\ du\ (?:von|zu|über)\b|\bist\ das\ echt\b|\bque\ (?:penses?-tu|pensez-vous)\ de\b|\bqué\ (?:opinas|piensas|te\ parece)\b
    | \bo\ que\ (?:você\ )?acha\b|\bcosa\ ne\ pensi\b|\bчто\ (?:ты\ )?думаешь\b|你(?:觉得|怎么看)
    """,
    re.IGNORECASE | re.VERBOSE,
)
