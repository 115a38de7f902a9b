"""A formula in one line means what it meant in two dimensions."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import docx
import pytest
from docx.oxml import parse_xml

from sourcebook.ingest.parsers.office.formulas import formula_text, office_formula_text
from sourcebook.ingest.parsers.parse import parse

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/math"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
MATHML = "http://www.w3.org/1998/Math/MathML"


def sign(text: str) -> str:
    return f"<m:r><m:t>{text}</m:t></m:r>"


def office_element(inner: str) -> Any:
    return parse_xml(f'<m:oMath xmlns:m="{OFFICE}" xmlns:w="{WORD}">{inner}</m:oMath>')


def office(inner: str) -> str:
    return office_formula_text(office_element(inner))


def mathml(inner: str) -> str:
    element: Any = parse_xml(f'<math xmlns="{MATHML}">{inner}</math>')
    return formula_text(element)


def fraction(above: str, below: str) -> str:
    return f"<m:f><m:num>{sign(above)}</m:num><m:den>{sign(below)}</m:den></m:f>"


def nary(properties: str, sub: str, sup: str) -> str:
    limits = f"<m:sub>{sub}</m:sub><m:sup>{sup}</m:sup>"
    return f"<m:nary><m:naryPr>{properties}</m:naryPr>{limits}<m:e>{sign('x')}</m:e></m:nary>"


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        (fraction("a+b", "c+d"), "(a+b)/(c+d)"),
        (fraction("10", "3"), "10/3"),
        (sign("y=") + fraction("1", "2") + sign("x"), "y=(1/2)x"),
        (sign("2") + fraction("1", "3"), "2(1/3)"),
        (
            f"<m:sSup><m:e><m:d><m:e>{sign('a+b')}</m:e></m:d></m:e><m:sup>{sign('2')}</m:sup></m:sSup>",
            "(a+b)^2",
        ),
        (f"<m:sSup><m:e>{sign('e')}</m:e><m:sup>{sign('-x')}</m:sup></m:sSup>", "e^(-x)"),
        (f"<m:sSup><m:e>{sign('a+b')}</m:e><m:sup>{sign('10')}</m:sup></m:sSup>", "(a+b)^10"),
        (
            f"<m:sSubSup><m:e>{sign('x')}</m:e><m:sub>{sign('i')}</m:sub><m:sup>{sign('2')}</m:sup></m:sSubSup>",
            "x_i^2",
        ),
        (f"<m:sSub><m:e>{sign('x')}</m:e><m:sub/></m:sSub>", "x"),
        (
            f'<m:d><m:dPr><m:begChr m:val="["/><m:sepChr m:val=","/><m:endChr m:val=")"/></m:dPr>'
            f"<m:e>{sign('0')}</m:e><m:e>{sign('1')}</m:e></m:d>",
            "[0,1)",
        ),
        (f"<m:rad><m:radPr><m:degHide/></m:radPr><m:deg/><m:e>{sign('2')}</m:e></m:rad>", "√2"),
        (f"<m:rad><m:deg/><m:e>{sign('a+b')}</m:e></m:rad>", "√(a+b)"),
        (f"<m:rad><m:deg>{sign('3')}</m:deg><m:e>{sign('27')}</m:e></m:rad>", "∛27"),
        (f"<m:rad><m:deg>{sign('n')}</m:deg><m:e>{sign('x')}</m:e></m:rad>", "x^(1/n)"),
        (nary('<m:chr m:val="∑"/>', "", ""), "∑x"),
        (nary('<m:chr m:val="∑"/>', sign("i=1"), sign("n")), "∑_(i=1)^n x"),
        (nary("", sign("0"), sign("1")), "∫_0^1 x"),
        (f'<m:acc><m:accPr><m:chr m:val="&#x304;"/></m:accPr><m:e>{sign("x")}</m:e></m:acc>', "x\u0304"),
        (f"<m:acc><m:e>{sign('p')}</m:e></m:acc>", "p\u0302"),
        (f'<m:bar><m:barPr><m:pos m:val="top"/></m:barPr><m:e>{sign("x")}</m:e></m:bar>', "x\u0305"),
        (f"<m:func><m:fName>{sign('sin')}</m:fName><m:e>{sign('x')}</m:e></m:func>", "sin x"),
        (
            f"<m:func><m:fName><m:limLow><m:e>{sign('lim')}</m:e><m:lim>{sign('x→0')}</m:lim></m:limLow></m:fName>"
            f"<m:e>{sign('f')}</m:e></m:func>",
            "lim_(x→0) f",
        ),
        (
            f"<m:m><m:mr><m:e>{sign('a')}</m:e><m:e>{sign('b')}</m:e></m:mr>"
            f"<m:mr><m:e>{sign('c')}</m:e><m:e>{sign('d')}</m:e></m:mr></m:m>",
            "[a, b; c, d]",
        ),
    ],
)
def test_a_formula_of_office_keeps_its_meaning_in_one_line(inner: str, text: str) -> None:
    assert office(inner) == text


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        (
            "<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mrow><mi>c</mi><mo>+</mo><mi>d</mi></mrow></mfrac>",
            "(a+b)/(c+d)",
        ),
        ("<mi>y</mi><mo>=</mo><mfrac><mn>1</mn><mn>2</mn></mfrac><mi>x</mi>", "y=(1/2)x"),
        ("<msup><mrow><mo>(</mo><mi>a</mi><mo>+</mo><mi>b</mi><mo>)</mo></mrow><mn>2</mn></msup>", "(a+b)^2"),
        ("<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>", "E=mc^2"),
        ("<msup><mi>f</mi><mo>′</mo></msup>", "f′"),
        ("<msqrt><mn>2</mn></msqrt>", "√2"),
        ("<msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt>", "√(a+b)"),
        ("<mroot><mn>27</mn><mn>3</mn></mroot>", "∛27"),
        ("<mroot><mi>x</mi><mn>5</mn></mroot>", "x^(1/5)"),
        ("<mtext>mean of all</mtext>", "mean of all"),
        ("<mi>x</mi><mo>=</mo><mtext>mean of all</mtext><mtext>values</mtext>", "x=mean of all values"),
        ("<mi>sin</mi><mo>&#x2061;</mo><mi>x</mi>", "sin x"),
        ("<mover><mi>x</mi><mo>¯</mo></mover>", "x\u0304"),
        ('<mover accent="true"><mi>v</mi><mo>→</mo></mover>', "v\u20d7"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover><mi>x</mi>",
            "∑_(i=1)^n x",
        ),
        ("<msub><mi>x</mi><mrow/></msub>", "x"),
        ('<mfenced open="[" close="]"><mi>a</mi><mi>b</mi></mfenced>', "[a,b]"),
        ("<semantics><mi>x</mi><annotation>x itself</annotation></semantics>", "x"),
    ],
)
def test_a_formula_of_opendocument_does_too(inner: str, text: str) -> None:
    assert mathml(inner) == text


def test_a_formula_of_a_document_leaves_out_what_was_deleted_and_reads_what_was_inserted() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("The ratio is ")
    changed = f"<w:del>{sign('z')}</w:del><w:ins>{fraction('a+b', 'c+d')}</w:ins>"
    element: Any = paragraph._p  # pyright: ignore[reportPrivateUsage]
    element.append(office_element(changed))
    paragraph.add_run(", as we know.")
    written = BytesIO()
    document.save(written)
    assert "The ratio is (a+b)/(c+d), as we know." in parse(written.getvalue(), "ratio.docx").text


def test_a_formula_as_deep_as_a_well_is_read_as_far_as_it_goes() -> None:
    assert mathml("<mi>a</mi><mo>=</mo>" + "<msqrt>" * 200 + "<mi>x</mi>" + "</msqrt>" * 200) == "a="
