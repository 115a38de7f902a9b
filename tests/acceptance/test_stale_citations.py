"""Conversations that are read again after their sources were edited: every citation whose support changed says so."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from sourcebook import Citation, Settings, Sourcebook, SourceState
from sourcebook.testing.fakes import FakeEmbedder

ROUNDS, FILES = 10, 30
MOST_NEEDLESS = 0.2
CROPS = ("beans", "carrots", "chard", "garlic", "kale", "leeks", "onions", "peas", "radish", "spinach")
FACTS = (
    "Sow {crop} number {n} in rows that are {a} centimetres apart.",
    "The seed of {crop} number {n} keeps for {b} years in a dry place.",
    "Water {crop} number {n} every {c} days while it is hot.",
    "Harvest {crop} number {n} when it is {d} weeks old.",
    "Store {crop} number {n} in sand at {e} degrees.",
    "Neighbours of {crop} number {n} are marigolds in one year and nasturtiums in the next, whichever is at hand.",
    "A bed for {crop} number {n} is dug over in autumn, and the frost does the rest of the work until spring.",
    "Slugs like {crop} number {n} too, so a strip of sharp gravel lies around the bed from the first warm night on.",
    "Old leaves of {crop} number {n} go on the compost unless they have spots, and then into the stove of the shed.",
)


@dataclass
class Shelf:
    """A folder of notes, each a list of sentences, and the edits that a person might make to one of them."""

    folder: Path
    chance: random.Random
    notes: dict[int, list[str]]
    cited: dict[int, str] = field(default_factory=dict[int, str])

    def outside(self, n: int) -> list[str]:
        """The sentences that the answer did not quote."""
        return [sentence for sentence in self.notes[n] if sentence not in self.cited[n]]

    def write(self, n: int, joined: str = " ") -> None:
        text = f"# {CROPS[n % len(CROPS)].title()} {n}\n\n{joined.join(self.notes[n])}\n"
        self.path(n).write_text(text, "utf-8")

    def path(self, n: int) -> Path:
        return self.folder / f"note-{n}.md"

    def fresh(self, n: int) -> None:
        numbers = {letter: self.chance.randint(2, 99) for letter in "abcde"}
        self.notes[n] = [fact.format(crop=CROPS[n % len(CROPS)], n=n, **numbers) for fact in FACTS]
        self.write(n)


def replaced(shelf: Shelf, n: int, quote: str, new: str) -> None:
    shelf.notes[n] = [new if sentence == quote else sentence for sentence in shelf.notes[n]]
    shelf.write(n)


def another_number(shelf: Shelf, n: int, quote: str) -> None:
    words = quote.split()
    place = max(i for i, word in enumerate(words) if word.isdigit())
    words[place] = str(int(words[place]) + shelf.chance.randint(1, 9))
    replaced(shelf, n, quote, " ".join(words))


def another_word(shelf: Shelf, n: int, quote: str) -> None:
    words = quote.split()
    words[shelf.chance.randrange(len(words))] = "never"
    replaced(shelf, n, quote, " ".join(words))


def a_word_before(shelf: Shelf, n: int, quote: str) -> None:
    replaced(shelf, n, quote, f"Nobody would say: never trust that {quote}")


def a_word_behind(shelf: Shelf, n: int, quote: str) -> None:
    replaced(shelf, n, quote, f"{quote[:-1]}, or so they said long ago.")


def sentence_gone(shelf: Shelf, n: int, quote: str) -> None:
    shelf.notes[n].remove(quote)
    shelf.write(n)


def file_gone(shelf: Shelf, n: int, quote: str) -> None:
    shelf.path(n).unlink()


def another_sentence(shelf: Shelf, n: int, quote: str) -> None:
    replaced(shelf, n, shelf.chance.choice(shelf.outside(n)), "Something else is written here now.")


def a_sentence_more(shelf: Shelf, n: int, quote: str) -> None:
    place = shelf.notes[n].index(shelf.chance.choice(shelf.outside(n)))
    first = shelf.notes[n].index(next(s for s in shelf.notes[n] if s in shelf.cited[n]))
    shelf.notes[n].insert(place + (place > first), "This line is new and says little.")
    shelf.write(n)


def other_order(shelf: Shelf, n: int, quote: str) -> None:
    """What was quoted stays together."""
    quoted = [sentence for sentence in shelf.notes[n] if sentence in shelf.cited[n]]
    others = shelf.outside(n)
    shelf.chance.shuffle(others)
    place = shelf.chance.randrange(len(others) + 1)
    shelf.notes[n] = [*others[:place], *quoted, *others[place:]]
    shelf.write(n)


def other_white_space(shelf: Shelf, n: int, quote: str) -> None:
    shelf.write(n, joined="\n\n")


def file_moved(shelf: Shelf, n: int, quote: str) -> None:
    """The next round writes it where it was."""
    shelf.path(n).rename(shelf.folder / f"moved-{n}.md")


Edit = Callable[[Shelf, int, str], None]
CHANGING: tuple[Edit, ...] = (
    another_number,
    another_word,
    a_word_before,
    a_word_behind,
    sentence_gone,
    file_gone,
)
HARMLESS: tuple[Edit, ...] = (another_sentence, a_sentence_more, other_order, other_white_space, file_moved)


def test_three_hundred_edits_and_no_citation_that_lost_its_support_is_missed(tmp_path: Path) -> None:
    chance = random.Random(300)
    folder = tmp_path / "notes"
    folder.mkdir()
    shelf = Shelf(folder, chance, {})
    edits: Counter[str] = Counter()
    missed: list[str] = []
    needless: list[str] = []
    wrong_state: list[str] = []
    with Sourcebook(settings=Settings(db=str(tmp_path / "base.db")), embedder=FakeEmbedder()) as book:
        for _ in range(ROUNDS):
            for old in folder.iterdir():
                old.unlink()
            for n in range(FILES):
                shelf.fresh(n)
            book.add(folder)
            asked = {n: ask(book, n) for n in range(FILES)}
            done: dict[int, Edit] = {}
            for n, (_, citation) in asked.items():
                done[n] = chance.choice(CHANGING if chance.random() < 0.5 else HARMLESS)
                shelf.cited[n] = citation.quote
                (stored,) = [s for s in shelf.notes[n] if s.startswith("Store")]
                done[n](shelf, n, stored)
                edits[done[n].__name__] += 1
            book.add(folder)
            for n, (session, citation) in asked.items():
                state = read_again(book, session, citation).state
                name = done[n].__name__
                if done[n] in CHANGING and state is SourceState.CURRENT:
                    missed.append(f"{name}: {citation.quote}")
                if done[n] in HARMLESS and state is not SourceState.CURRENT:
                    needless.append(name)
                if (done[n] is file_gone) != (state is SourceState.REMOVED):
                    wrong_state.append(name)
    assert edits.total() == ROUNDS * FILES
    assert min(edits[edit.__name__] for edit in (*CHANGING, *HARMLESS)) > 5
    assert missed == []
    harmless = sum(edits[edit.__name__] for edit in HARMLESS)
    assert len(needless) <= MOST_NEEDLESS * harmless, Counter(needless)
    assert wrong_state == []


def ask(book: Sourcebook, n: int) -> tuple[str, Citation]:
    answer = book.ask(f"How are {CROPS[n % len(CROPS)]} number {n} stored in sand?")
    cited = [c for c in answer.citations if f"number {n} " in c.quote]
    assert cited, answer
    return answer.session_id or "", cited[0]


def read_again(book: Sourcebook, session: str, citation: Citation) -> Citation:
    found = [c for message in book.session(session).messages for c in message.citations]
    return next(c for c in found if c.quote == citation.quote)
