# ruff: noqa: E501 — the patterns are read by their alternatives, a line each
"""How people name a text, whose it is and which language it shall have: pieces of the patterns that look for both. Pure."""

from __future__ import annotations

import re

# Pieces of the patterns below, in which a blank has to be escaped.
TEXT = (
    r"(?:e-?mails?|mails?|messages?|texts?|comments?|reviews?|answers?|repl(?:y|ies)|(?:blog\ ?)?posts?|tweets?|articles?"
    r"|letters?|quotes?|quotations?|sentences?|paragraphs?|statements?|claims?|prompts?|chats?|chat\ ?logs?|conversations?"
    r"|discussions?|threads?|transcripts?|drafts?|newsletters?|announcements?|passages?|excerpts?|tickets?|sms|dms?"
    r"|voicemails?|speech|slogans?|mottos?|clauses?|docstrings?|subtitles?|poems?|story|stories|proposals?|requests?\ from|response)\b"
)
# Texts that a user writes as often as they show them: they count only where one stands as a heading.
PAPER = (
    rf"(?:{TEXT}|(?:(?:meeting|call|interview)\ )?(?:notes|minutes|recording)\b|(?:\w+\ )?logs?\b|polic(?:y|ies)\b|memos?\b"
    r"|(?:job\ )?ad(?:vert)?s?\b|terms\b|contracts?\b|feedback\b|snippets?\b|e-?books?\b|papers?\b|slides?\b|words\b)"
)
# What somebody says or lays down, whatever it stands in.
SAYING = (
    rf"(?:{PAPER}|(?:rules?|opinions?|views?|takes?|advice|suggestions?|demands|tips?|guidelines?|(?:style\ )?guides?|standards?|docs?|documentation|handbook"
    r"|manual|wiki|readme|checklist|requirements?|findings|complaints?|mottos?|principles?|recommendations?|arguments?|theory|mantra|remarks?"
    r"|summary|report|analysis|verdict|conclusions?|objections?|explanation|instructions?)\b)"
)
# What one is given to work with says nothing.
MACHINE = (
    r"(?:servers?|clusters?|instances?|databases?|queues?|brokers?|rabbitmq|redis|kafka|postgres|buckets?|accounts?|access|budget"
    r"|quota|runners?|machines?|box(?:es)?|licen[sc]es?|environments?|gpus?)\b"
)
THIS = r"(?:this|that|these|those|the\ following|following|his|her|their|(?:my|our|the|a)\ (?:\w+\ )?\w+['’]s)"
POLITE = (
    r"(?:(?:please|pls|plz|can\ you|could\ you|would\ you|will\ you|now|then|also|and|ok(?:ay)?|hey|hi|so|just|quickly|first"
    r"|help\ me(?:\ to)?|i\ need\ you\ to|i\ want\ you\ to|let'?s)[\s,]+){0,4}"
)
LANGUAGE = (
    r"(?:english|german|french|spanish|italian|portuguese|dutch|polish|russian|ukrainian|turkish|arabic|hindi|chinese"
    r"|mandarin|japanese|korean|swedish|danish|norwegian|finnish|czech|greek|hebrew|latin|romanian|hungarian)"
)
# What a text can be, and code hardly.
TONE = (
    r"(?:short(?:er)?|clear(?:er)?|nicer?|friendl\w+|warm(?:er)?|soft(?:er)?|polite(?:r|ly)?|crisp(?:er)?|punch(?:y|ier)|kinder"
    r"|formal\w*|informal\w*|concise\w*|professional\w*|natural\w*|casual\w*|readable|diplomatic|better\ english)\b"
)
NAMED = re.compile(rf"\b{THIS}\ (?:\w+\ )?{TEXT}", re.IGNORECASE)
# "Here are my comments" announces the user's own.
OWN_TEXT = re.compile(rf"\b(?:my|our)\ (?:\w+\ )?{TEXT}", re.IGNORECASE)
