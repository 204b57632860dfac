"""Modules of the site's scripts by themselves, in a real browser: what no page can be brought to in a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

    Open = Callable[..., Page]

pytestmark = pytest.mark.chromium
STREAMS = """async () => {
  const opened = [];
  class Source extends EventTarget {
    static CONNECTING = 0; static OPEN = 1; static CLOSED = 2;
    constructor(address) {
      super();
      this.readyState = Source.CONNECTING;
      this.address = address;
      opened.push(this);
    }
    close() { this.readyState = Source.CLOSED; }
    open() { this.readyState = Source.OPEN; this.onopen(); }
    lose() { this.readyState = Source.CONNECTING; this.onerror(); }
    event(id) { this.onmessage({ data: `data of ${id}`, lastEventId: id }); }
  }
  window.EventSource = Source;
  const script = document.querySelector("script[type=module][src]").src;
  await import(script.replace(/[^/]+$/, "stream_worker.js"));
  const tab = (mark) => {
    const port = { postMessage() {} };
    globalThis.onconnect({ ports: [port] });
    port.onmessage({ data: { address: "/live/7/events", mark, isHidden: false } });
  };
  const last = () => opened.at(-1);
  const told = [];
  const tell = () => told.push([opened.length, new URL(last().address, location).searchParams.get("after")]);
  STEPS
  return told;
}"""
"""The module that holds the streams of all tabs, with streams that a test opens and loses."""


def streams(page: Page, steps: str) -> Any:
    """Count the streams opened, and give the event after which the last one begins, at each `tell()`."""
    return page.evaluate(STREAMS.replace("STEPS", steps))


def test_a_tab_that_comes_while_the_stream_is_lost_gets_what_it_lacks(open_page: Open) -> None:
    steps = """
      tab("1-0"); tell(); last().open(); last().event("1-1"); last().event("1-2"); last().lose();
      tab("1-2"); tell(); tab(""); tell(); last().open(); last().event("1-1"); tab(""); tell();
    """
    assert streams(open_page("/live"), steps) == [[1, "1-0"], [1, "1-0"], [2, ""], [3, ""]]


def test_so_does_one_that_comes_before_the_stream_is_open(open_page: Open) -> None:
    steps = 'tab("1-2"); tab("1-2"); tell(); tab("1-1"); tell(); tab(""); tell();'
    assert streams(open_page("/live"), steps) == [[1, "1-2"], [2, ""], [2, ""]]


def test_cards_to_expose_are_chosen_anew_where_the_same_question_comes_again(open_page: Open) -> None:
    found = open_page("/rules/gongzhu").evaluate(
        """async () => {
          const script = document.querySelector("script[type=module][src]").src;
          const load = (name) => import(script.replace(/[^/]+$/, name));
          const [{ Ask }, { Choice }] = [await load("play_ask.js"), await load("play_choice.js")];
          const question = { kind: "expose", decision: 3, claim: false, legal: "QS", faces: ["up"], moon: [] };
          const state = { away: false, deal: { face_up: 2, face_down: 4 } };
          const ask = new Ask((key) => key, { changed() {} });
          document.body.append(ask.element);
          const found = [];
          for (const choice of [new Choice(question), new Choice(question)]) {
            ask.offer(state, choice);
            ask.choices.querySelector("input[value=up]").click();
            ask.refresh(choice);
            ask.offer(state, choice);
            found.push([choice.faces.get("QS"), ask.choices.querySelector("input[value=up]").checked]);
          }
          return found;
        }"""
    )
    assert found == [["up", True], ["up", True]]
