"""The part of a message that asks, without instructions how to answer, and in plain spelling."""

from __future__ import annotations

import re

from sourcebook.consult.question.words.typed_words import in_plain_spelling
from sourcebook.text.sentences import sentence_spans

# Instructions how to answer: an imperative that begins a sentence or follows a condition.
_ANSWER = (
    r"answer|reply|respond|return|output|write|say|print|use only|keep it|be brief|be concise"
    r"|(?:do not|don['’]t) (?:make|invent|guess)|cite|quote|give (?:your|the|a|me|only)|provide (?:your|the|a|only)"
    r"|ответь(?:те)?|отвечай(?:те)?|верни(?:те)?|напиши(?:те)?|скажи(?:те)?|укажи(?:те)?|используй(?:те)?"
    r"|не придумывай(?:те)?|приведи(?:те)?|дай(?:те)? (?:краткий|ответ|только)|выведи(?:те)?"
    r"|responda|retorne|devolva|escreva|diga|use apenas|use somente|não invente|seja breve|cite"
    r"|responde|devuelve|devuelva|escribe|escriba|di\b|no inventes|sé breve"
)
_POLITE = r"(?:please|пожалуйста|por favor)[,\s]+"
_IF = r"(?:if|when|unless|если|когда|se|caso|quando|si|cuando)\b"
_THEN = r"(?:,|\bthen\b|\bто\b|\bentão\b|\bentonces\b)\s*"
_CONDITION = rf"{_IF}[^?]*?{_THEN}"
_INSTRUCTION = re.compile(rf"\W*(?:{_POLITE})?(?:{_CONDITION}(?:{_POLITE})?)?(?:{_ANSWER})\b", re.IGNORECASE)


def asking_part(message: str) -> str:
    """The message without sentences that only say how to answer it, in plain spelling: "where is" for "wheres".

    Nothing is left out of a message without a question mark: "Write a letter." may be the whole request.
    """
    sentences = [message[start:end].strip() for start, end in sentence_spans(message)]
    if not any(sentence.endswith("?") for sentence in sentences):
        return in_plain_spelling(message)
    kept = [said for said in sentences if said.endswith("?") or not _INSTRUCTION.match(said)]
    return in_plain_spelling(message if len(kept) == len(sentences) else " ".join(kept))
