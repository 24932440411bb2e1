"""Text and HTML output of answers, laws, safe lengths, claims and curves."""
from __future__ import annotations

import html
from typing import Any, Callable, Dict, Generic, Iterable, List, Optional, Sequence, Tuple, TypeVar

import numpy as np

from . import _core

Each = TypeVar("Each")
Row = Sequence[str]


def number_text(number: Optional[float]) -> str:
    """At most six digits; "-" for a missing number."""
    return "-" if number is None or number != number else f"{number:.6g}"


def text_table(header: Row, rows: Iterable[Row]) -> str:
    """The rows as text with aligned columns, the header first."""
    lines = [list(header), *(list(row) for row in rows)]
    widths = [max(len(line[at]) for line in lines) for at in range(len(header))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines)


def html_table(header: Row, rows: Iterable[Row], caption: str = "") -> str:
    """The rows as an HTML table. All texts are escaped."""

    def line(tag: str, texts: Row) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(text)}</{tag}>" for text in texts) + "</tr>"

    top = f"<caption>{html.escape(caption)}</caption>" if caption else ""
    body = "".join(line("td", row) for row in rows)
    return f"<table>{top}<thead>{line('th', header)}</thead><tbody>{body}</tbody></table>"


def curve_svg(x: Any, y: Any, name: str, width: int = 360, height: int = 160, most: int = 400) -> str:
    """A small SVG of a curve: at most `most` of its points, with the ranges of both axes as text."""
    x, y = np.asarray(x, float), np.asarray(y, float)
    chosen = np.unique(np.linspace(0, len(x) - 1, min(most, len(x))).astype(int)) if len(x) else np.zeros(0, int)
    x, y = x[chosen], y[chosen]
    seen = np.isfinite(x) & np.isfinite(y)
    if not seen.any():
        return ""
    x, y = x[seen], y[seen]
    left, right, low, high = x.min(), x.max(), y.min(), y.max()
    across = 10 + (x - left) / ((right - left) or 1) * (width - 20)
    down = height - 30 - (y - low) / ((high - low) or 1) * (height - 50)
    points = " ".join(f"{one:.1f},{other:.1f}" for one, other in zip(across, down))
    text = f"{html.escape(name)}: {low:.6g} to {high:.6g} over {left:.6g} to {right:.6g}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img">'
        f'<polyline points="{points}" fill="none" stroke="#3465a4" stroke-width="1.5"/>'
        f'<text x="10" y="{height - 8}" font-size="11">{text}</text></svg>'
    )


class Listing(List[Each], Generic[Each]):
    """A list that print() and notebooks show as a table."""

    def __init__(self, items: Iterable[Each], header: Row, row: Callable[[Each], Row]) -> None:
        super().__init__(items)
        self._header = header
        self._row = row

    def __str__(self) -> str:
        return text_table(self._header, map(self._row, self))

    def _repr_html_(self) -> str:
        return html_table(self._header, map(self._row, self))


LAW_HEADER = ("law", "holds", "meaning", "counterexample")
CLAIM_HEADER = ("claim", "verdict", "certified", "says")


def law_row(law: _core.Law) -> Row:
    return law.name, "yes" if law.holds else "no", law.meaning, law.counterexample


def claim_row(claim: _core.Claim) -> Row:
    return claim.id, claim.verdict, "yes" if claim.certified else "no", claim.says


def _deviation_rows(name: str, deviation: Optional[_core.Deviation]) -> List[Row]:
    if deviation is None:
        return []
    beyond = f"{deviation.beyond} of {deviation.compared}"
    if deviation.beyond:
        beyond += f"; the worst, {deviation.worst:.4g} units off, at {list(deviation.index)}: "
        beyond += f"{deviation.found!r} in place of {deviation.wanted!r}"
    return [(name, beyond)]


def _head_text(head: _core.HeadAnswer) -> str:
    if head.is_equal:
        return "equal"
    if head.variations:
        return "differs by " + " + ".join(
            each.name + (f" ({each.supposes})" if each.supposes else "") for each in head.variations
        )
    return f"differs: {head.declared.beyond} of {head.declared.compared} numbers"


def _answer_rows(answer: _core.Answer) -> List[Row]:
    rows: List[Row] = [
        ("result", "equal" if answer.is_equal else "equal by convention" if answer.agrees else "different"),
        ("part", f"{answer.part} {answer.axes}"),
        *_deviation_rows(f"beyond {answer.tolerance:g} units", answer.declared),
    ]
    rows += [(each.name, each.meaning) for each in answer.variations]
    rows += _deviation_rows("beyond with these", answer.explained if answer.variations else None)
    rows += [("also explained by", " + ".join(each.name for each in other)) for other in answer.others]
    rows += [("status 0 with", each) for each in answer.commands if each]
    rows += [(f"head {each.head:g}", _head_text(each)) for each in answer.heads]
    rows += [(f"near: {each.name}", each.meaning) for each in answer.nearest]
    return rows


def _reading_rows(claim: _core.Claim) -> List[Row]:
    return [(each.name, each.verdict, "yes" if each.certified else "no", each.explain) for each in claim.readings]


def _limit_rows(safe: _core.SafeLength) -> List[Row]:
    return [
        (each.limit, str(each.length) if each.is_longest else f"at least {each.length}", each.where)
        for each in safe.limits
    ]


def _safe_title(safe: _core.SafeLength) -> str:
    if not safe.is_longest:
        return f"{safe.scheme} in {safe.format}: at least {safe.length} tokens"
    return f"{safe.scheme} in {safe.format}: {safe.length} tokens, then {safe.limit}"


READING_HEADER = ("reading", "verdict", "certified", "explanation")
LIMIT_HEADER = ("limit", "tokens", "where")

# The title, header and rows of classes that the bindings define.
_SHOWN: Dict[Any, Tuple[Callable[[Any], str], Row, Callable[[Any], List[Row]]]] = {
    _core.Answer: (lambda answer: "", ("", ""), _answer_rows),
    _core.SafeLength: (_safe_title, LIMIT_HEADER, _limit_rows),
    _core.Claim: (lambda claim: f"{claim.id}: {claim.verdict}. {claim.says}", READING_HEADER, _reading_rows),
}


def _show(bound: Any, title: Callable[[Any], str], header: Row, rows: Callable[[Any], List[Row]]) -> None:
    def text(self: Any) -> str:
        top = f"{title(self)}\n" if title(self) else ""
        lines = text_table(header, rows(self))
        return top + (lines if any(header) else lines.split("\n", 1)[1])

    def markup(self: Any) -> str:
        return html_table(header, rows(self), title(self))

    bound.__str__ = text
    bound._repr_html_ = markup


for _bound, _how in _SHOWN.items():
    _show(_bound, *_how)


def _law_text(law: _core.Law) -> str:
    counterexample = f" ({law.counterexample})" if law.counterexample else ""
    return f"{law.name} {'holds' if law.holds else 'fails'}: {law.meaning}{counterexample}"


def _law_markup(law: _core.Law) -> str:
    return html_table(LAW_HEADER, [law_row(law)])


for _name, _method in (("__str__", _law_text), ("_repr_html_", _law_markup)):
    setattr(_core.Law, _name, _method)
