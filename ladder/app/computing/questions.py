"""Questions for the process that computes."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING

from ladder.app.local.reading import ANYWHERE
from ladder.values.questions import FoundCostliest, HintQuestion, RecordDeals, WhyQuestion
from ladder.values.why import Costliest
from pigpen.wire.messages import request_message
from referee.records.lines import to_json

if TYPE_CHECKING:
    from ladder.app.ladder import Ladder
    from ladder.app.local.reading import Source, Where
    from pigpen.values.view import View
    from referee.records.lines import DealLine
    from referee.records.recorded import Recorded


def deals_of(ladder: Ladder, source: Source, commitment: str, where: Where = ANYWHERE) -> RecordDeals:
    """Name deals of a record for the process that computes."""
    record = str(source.path.relative_to(ladder.settings.data_dir))
    return RecordDeals(record=record, source=source.word, commitment=commitment, **where._asdict())


def why_question(recorded: Recorded, line: DealLine, step: int, source: str) -> WhyQuestion:
    """
    Ask what each choice of one decision was worth.

    Args:
        recorded: The match.
        line: One of its deals.
        step: The place of the decision among the steps of the deal, from 1.
        source: The match, as people name it.
    """
    return WhyQuestion(lines=(to_json(recorded.first), to_json(line)), step=step, source=source)


def hint_question(view: View) -> HintQuestion:
    """Ask what each choice of an open decision is worth, from what its seat knows."""
    timeless = replace(view, limit=0.0, bank=0.0)  # so that asked again it is the same question
    request = request_message(timeless, 0.0).SerializeToString(deterministic=True)
    return HintQuestion(rules=view.rules.to_plain(), request=base64.b64encode(request).decode())


def costliest_in(answer: str, source: Source, bot: str) -> Costliest:
    """Read the answer to a question about one record."""
    found = FoundCostliest.model_validate_json(answer)
    return Costliest(
        source=source.word,
        bot=bot,
        decisions=found.decisions,
        not_estimated=found.not_estimated,
        costliest=found.costliest,
    )
