"""Answers, each sentence with the memories behind it."""

from typing import TYPE_CHECKING, NotRequired, TypedDict

from lerim.payloads.memory import KeptPayload, kept_payload

if TYPE_CHECKING:
    from lerim.answer.pipeline import Answer


class SentencePayload(TypedDict):
    text: str
    ids: list[str]


class AnswerPayload(TypedDict):
    question: str
    text: str
    supported: bool
    sentences: list[SentencePayload]
    sources: list[KeptPayload]
    #: The candidates that wait in the review and are told, too.
    noted: list[str]
    plan: list[str]
    #: What a model said and no memory it cites does, with the reason: it is not part of the answer.
    left_out: list[str]
    explained: NotRequired[list[str]]


def answer_payload(answer: "Answer", *, explain: bool) -> AnswerPayload:
    payload: AnswerPayload = {
        "question": answer.question,
        "text": answer.text,
        "supported": answer.supported,
        "sentences": [{"text": sentence.text, "ids": list(sentence.ids)} for sentence in answer.sentences],
        "sources": [kept_payload(kept) for kept in answer.sources],
        "noted": [record.id for record in answer.noted],
        "plan": answer.plan.describe(),
        "left_out": list(answer.dropped),
    }
    if explain:
        payload["explained"] = answer.explained()
    return payload
