"""A decline quotes two places, and no words twice; an answer that is not sure names what may answer as well."""

from __future__ import annotations

from sourcebook.consult.answer.composer import PassageSources, extracted
from sourcebook.consult.answer.quoted_passages import closest_passages
from sourcebook.consult.evidence.acceptance import Judgement
from sourcebook.consult.evidence.passages import JudgedPassages
from sourcebook.consult.evidence.question_judge import QuestionVerdict
from sourcebook.model.documents import Chunk
from sourcebook.model.search import SearchResult
from sourcebook.text.analysis import analyse_question

FIRST = (
    "A sick child stays at home and does not come to the coach, however much it wants to be with the others. "
)
SECOND = "Write to the coach before noon when a child is sick, so that nobody waits for it at the river. "
THIRD = "A child that is sick for a week brings a paper to the coach, who keeps it in the grey cupboard of the club. "
FOURTH = (
    "A coach who is sick writes to the child or to its parents, and another one is looked for until evening."
)
NOTES = FIRST + SECOND + THIRD + FOURTH
NEARLY = QuestionVerdict(-0.5, 0.0)


def part_of(document: str, start: int, end: int, text: str = NOTES) -> SearchResult:
    return SearchResult(Chunk(f"{document}-{start}", document, text[start:end], start_index=start), 1.0)


def quoted(question: str, *passages: SearchResult) -> list[str]:
    weights = {"sick": 1.0, "child": 1.0, "coach": 1.0, "home": 1.0}
    judged = [(passage, Judgement(0.5, 0.5, 0.5, 0.2, 0.0)) for passage in passages]
    found = JudgedPassages(judged, weights, (), "en", NEARLY)
    shown = closest_passages(question, found, PassageSources(passages, {}, "en"))
    return [each.excerpt for each in shown if each.excerpt is not None]


def test_passages_that_overlap_are_not_quoted_with_the_same_words() -> None:
    overlapping = [part_of("notes", 0, len(FIRST + SECOND + THIRD)), part_of("notes", len(FIRST), len(NOTES))]
    other = part_of("prices", 0, 35, "A child with a coach pays 10 euros.")
    texts = quoted("Whom do I tell at home that a child is sick, the coach?", *overlapping, other)
    assert texts == [(FIRST + SECOND).strip(), FOURTH]


def test_two_places_of_a_document_are_both_quoted() -> None:
    apart = [part_of("notes", 0, len(FIRST)), part_of("notes", len(FIRST + SECOND), len(NOTES))]
    assert quoted("Does a child that is sick stay at home?", *apart) == [FIRST.strip(), THIRD + FOURTH]


def test_a_nearer_place_in_another_language_is_quoted_after_those_of_the_question_or_alone() -> None:
    rule = "A criança doente fica em casa e não vai ao treino. Os pais avisam o treinador antes do meio-dia."
    own, foreign = page("notes", FIRST), page("regras", rule)
    near = Judgement(0.0, 0.0, 0.0, 0.4, 0.0)
    question, sources = "Whom do I tell that a child is sick?", PassageSources([own, foreign], {}, "en")
    weights = {"child": 1.0, "sick": 1.0}
    for verdict, documents in (NEARLY, ["notes", "regras"]), (QuestionVerdict(-9.0, 0.0), ["regras"]):
        found = JudgedPassages([(own, near)], weights, (), "en", verdict, [(foreign, near)])
        shown = closest_passages(question, found, sources)
        assert [each.passage.chunk.document_id for each in shown if each.excerpt] == documents
        assert len(shown) == 2


def see_also(question: str, *passages: SearchResult) -> list[str | None]:
    weights = dict.fromkeys(analyse_question(question, ["en"]).terms, 1.0)
    composed = extracted(question, weights, PassageSources(passages, {}, "en"), "en")
    assert composed is not None
    return [each.excerpt for each in composed.see_also]


def page(document: str, text: str, section: str | None = None) -> SearchResult:
    chunk = Chunk(f"{document}-{section}", document, text, end_index=len(text), section=section)
    return SearchResult(chunk, 1.0, document_title=document, document_path=f"{document}.md")


GATE = "The gate of the yard is closed with the long key."
SHED = "The shed is closed with the short key, and so is its gate."


def test_an_answer_that_is_not_sure_names_what_may_answer_as_well() -> None:
    assert see_also("Which key closes the gate?", page("yard", GATE), page("shed", SHED)) == [SHED]


def test_a_sure_answer_names_nothing_else() -> None:
    other = "Flowers are watered in the morning, and never at noon."
    assert see_also("Which key closes the gate of the yard?", page("yard", GATE), page("garden", other)) == []


def test_the_section_that_is_cited_is_not_named_again() -> None:
    same = [page("yard", GATE, "Locks"), page("yard", SHED, "Locks")]
    assert see_also("Which key closes the gate?", *same) == []
