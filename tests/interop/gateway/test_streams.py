"""Streams: whatever the provider's framing and wherever its bytes are cut, the client gets the same."""

import json
import urllib.request

from ..support.full import FULL
from . import upstream
from .case import (
    CARD, EMAIL, IBAN, LIMITS, MODEL, PLACEHOLDER, TEXT, GatewayTest, events, found_in, guest, said, together,
)

CHAT = "/v1/chat/completions"

ECHO = upstream.says(upstream.prompt, size=3)


def every(step):
    """Cuts at every so many bytes."""
    return lambda data: range(step, len(data), step)


def line_ends(end):
    """The events with other ends of lines."""
    return lambda events: b"".join(events).replace(b"\n", end)


def with_comments(events):
    return b": hello\n\n" + b"".join(b": keep-alive\n" + event for event in events)


def in_lines(events):
    """Each payload in several lines of data, as the standard allows between the tokens of JSON."""
    # no text of the tests has a brace
    return b"".join(event.replace(b'}, "', b'},\ndata: "') for event in events)


#: The framings of a stream by providers and the proxies before them.
FRAMINGS = {
    "as OpenAI": lambda events: b"".join(events),
    "CRLF": line_ends(b"\r\n"),
    "CR": line_ends(b"\r"),
    "comments": with_comments,
    "byte order mark": lambda events: b"\xef\xbb\xbf" + b"".join(events),
    "no space": lambda events: b"".join(events).replace(b"data: ", b"data:"),
    "several data lines": in_lines,
    "ids, names and retries": lambda events: b"".join(b"id: 1\nretry: 5\nevent: chunk\n" + event for event in events),
    "more blank lines": lambda events: b"\n\n" + b"\n".join(events),
    "no blank line at the end": lambda events: b"".join(events)[:-1],
}


class FramingTest(GatewayTest):
    """One question, whose answer says it back."""

    def assertWhole(self, answer):
        """The answer says the question, and no error behind it."""
        self.assertEqual(said(answer), TEXT)
        self.assertEqual([payload for payload in events(answer) if "error" in payload], [])

    def test_every_framing_and_cut(self):
        for name, framing in FRAMINGS.items():
            for cut in (None, every(1), every(7)):
                with self.subTest(name, cut=cut and len(cut(b"." * 50))):
                    provider = self.provider(upstream.stream(ECHO, cuts=cut, framing=framing))
                    answer = self.stream(TEXT)
                    self.assertWhole(answer)
                    self.assertTrue(answer.rstrip().endswith(b"data: [DONE]"), answer[-80:])
                    self.assertUnseen(provider.last)

    def test_every_cut_gives_the_same_bytes(self):
        """One cut at each place: in the middle of an event, of a character, of a placeholder."""
        self.provider(upstream.stream(ECHO))
        want = self.stream(f"🦀 Žofie, {EMAIL}")
        length = 4_000 if FULL else 1_500
        provider = self.provider(*(
            upstream.stream(ECHO, cuts=[at]) for at in range(1, length, 1 if FULL else 23)
        ))
        for _ in range(1, length, 1 if FULL else 23):
            self.assertEqual(self.stream(f"🦀 Žofie, {EMAIL}"), want)
        self.assertUnseen(*provider.requests)

    def test_every_size_of_pieces(self):
        """Of what the model says, an event each."""
        for size in range(1, 40):
            with self.subTest(size):
                self.provider(upstream.stream(upstream.says(upstream.prompt, size)))
                self.assertEqual(said(self.stream(TEXT)), TEXT)

    def test_lengths_that_are_known(self):
        """A stream may come with its length, or end with its connection."""
        stream = lambda request: b"".join(ECHO(request))
        kind = {"content-type": "text/event-stream; charset=utf-8"}

        def until_close(handler, request):
            handler.head(200, kind)
            handler.wfile.write(stream(request))

        for answer in (upstream.whole(stream, headers=kind), until_close):
            self.provider(answer)
            self.assertEqual(said(self.stream(TEXT)), TEXT)

    def test_a_stream_without_an_end_mark(self):
        """It is over when the provider says so; the client is not left in doubt."""
        self.provider(upstream.stream(lambda request: ECHO(request)[:-1]))
        answer = self.stream(TEXT)
        self.assertWhole(answer)
        self.assertIn(b"[DONE]", answer)

    def test_what_providers_leave_out(self):
        """Chunks without an id, an index or a finish."""

        def content(request):
            said = upstream.pieces(upstream.prompt(request), 1)
            payloads = [{"choices": [{"delta": {"content": piece}}]} for piece in said]
            return [upstream.event(payload) for payload in payloads] + [upstream.event("[DONE]")]

        self.provider(upstream.stream(content))
        self.assertEqual(said(self.stream(TEXT)), TEXT)

    def test_a_character_in_two_events(self):
        """Its two halves in UTF-16, as providers written in JavaScript cut it; JSON has escapes for them."""

        def content(request):
            halves = [*upstream.pieces(upstream.prompt(request), 4), "\ud83e", "\udd80", "."]
            payloads = [json.dumps(upstream.chunk({"content": piece})) for piece in halves]
            return [upstream.event(payload) for payload in payloads] + [upstream.event("[DONE]")]

        self.provider(upstream.stream(content))
        answer = said(self.stream(EMAIL)).encode("utf-16", "surrogatepass").decode("utf-16")
        self.assertEqual(answer, f"{EMAIL}🦀.")

    def test_choices_side_by_side(self):
        """Each has a text of its own, whose pieces come in turns."""

        def content(request):
            said = upstream.pieces(upstream.prompt(request), 2)
            turns = [upstream.chunk({"content": piece}, index=index) for piece in said for index in (0, 1)]
            ends = [upstream.chunk({}, "stop", index) for index in (0, 1)]
            return [upstream.event(payload) for payload in turns + ends] + [upstream.event("[DONE]")]

        self.provider(upstream.stream(content))
        answer = self.stream(TEXT, n=2)
        self.assertEqual((said(answer, 0), said(answer, 1)), (TEXT, TEXT))

    def test_every_field_of_a_delta(self):
        """Reasoning, refusals, tool calls, and what no standard names."""
        for field in ("content", "reasoning_content", "reasoning", "refusal", "record_field"):
            with self.subTest(field):
                self.provider(upstream.stream(lambda request: upstream.chunks(
                    [{field: piece} for piece in upstream.pieces(upstream.prompt(request), 3)]
                )))
                deltas = [choice["delta"] for payload in events(self.stream(TEXT)) for choice in payload["choices"]]
                self.assertEqual("".join(delta.get(field) or "" for delta in deltas), TEXT)

    def test_several_tool_calls(self):
        """Their arguments come in turns, and are valid JSON when they are whole."""

        def content(request):
            arguments = json.dumps({"query": upstream.prompt(request) + ' "quoted" \\ back\n'}, ensure_ascii=False)
            start = [{"tool_calls": [{
                "index": index, "id": f"call_{index}", "type": "function",
                "function": {"name": "look_up", "arguments": ""},
            }]} for index in (0, 1)]
            turns = [
                {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}
                for piece in upstream.pieces(arguments, 3) for index in (0, 1)
            ]
            return upstream.chunks(start + turns, "tool_calls")

        self.provider(upstream.stream(content))
        arguments = ["", ""]
        quoted = f'"{EMAIL}" and {IBAN}'
        for payload in events(self.stream(quoted)):
            for called in payload["choices"][0]["delta"].get("tool_calls", ()):
                arguments[called["index"]] += called["function"]["arguments"]
        for written in arguments:
            self.assertEqual(json.loads(written), {"query": quoted + ' "quoted" \\ back\n'})

    def test_an_answer_that_is_not_streamed_though_it_was_asked_for(self):
        """Some providers do so with errors and with short answers."""
        self.provider(upstream.whole(lambda request: upstream.completion(upstream.prompt(request))))
        status, _, answer = self.chat({"messages": [{"role": "user", "content": TEXT}], "stream": True})
        self.assertIn(status, (200, 502))
        self.assertNotRegex(answer.decode(), PLACEHOLDER)


class RestoringTest(GatewayTest):
    """Placeholders that a model writes in its own way, and values that it finds out itself."""

    def restored(self, change):
        """The client's text if the model changes the placeholder that it was shown; streamed and whole."""
        answer = lambda request: change(upstream.prompt(request))
        self.provider(upstream.whole(lambda request: upstream.completion(answer(request))))
        whole = self.ask(EMAIL)["choices"][0]["message"]["content"]
        self.provider(upstream.stream(upstream.says(answer, 1)))
        self.assertEqual(said(self.stream(EMAIL)), whole)
        return whole

    def test_a_placeholder_written_otherwise(self):
        cases = {
            "as it is": lambda text: f"Write to {text}.",
            "lower case": str.lower,
            "upper case": str.upper,
            "twice": lambda text: text + text,
            "in brackets": lambda text: f"[{text}]",
            "escaped for Markdown": lambda text: text.replace("_", r"\_"),
            "in a link": lambda text: f"[mail](mailto:{text})",
        }
        want = {
            "as it is": f"Write to {EMAIL}.", "twice": EMAIL * 2, "in brackets": f"[{EMAIL}]",
            "in a link": f"[mail](mailto:{EMAIL})",
        }
        for name, change in cases.items():
            with self.subTest(name):
                self.assertEqual(self.restored(change), want.get(name, EMAIL))

    def test_a_placeholder_that_the_model_invents(self):
        invented = "[[EMAIL_aaaaaaaaaa]]"
        self.assertEqual(self.restored(lambda _: f"Ask {invented}."), f"Ask {invented}.")

    def test_what_only_begins_like_one(self):
        for text in ("[", "[[", "a [[b]] c", "[[EMAIL", "[[EMAIL_", "[[EMAIL_x7", "x[[[[EMAIL_"):
            with self.subTest(text):
                self.assertEqual(self.restored(lambda _: text), text)

    def test_what_the_model_says_of_others(self):
        """The model's own values pass through; a policy for the output protects them, in all chunks."""
        others = guest(1)
        text = f"Try {others[0]}, card {others[1]} or {others[2]}."
        self.provider(upstream.whole(upstream.completion(text)))
        self.assertEqual(self.ask("Who else?")["choices"][0]["message"]["content"], text)
        self.provider(upstream.stream(upstream.says(text, 3)))
        self.assertEqual(said(self.stream("Who else?")), text)
        self.policy("MASK", direction="output")
        self.provider(upstream.whole(upstream.completion(text)))
        whole = self.ask("Who else?")["choices"][0]["message"]["content"]
        self.assertEqual(found_in(whole), [], whole)
        for size in range(1, 30):
            with self.subTest(size):
                self.provider(upstream.stream(upstream.says(text, size)))
                answer = self.stream("Who else?")
                self.assertEqual(found_in(said(answer)), [], said(answer))
                self.assertTrue(said(answer).startswith("Try "), said(answer))

    def test_what_the_caller_said_comes_back_even_where_the_model_writes_it_out(self):
        """A model that knows the value from elsewhere shows the caller nothing new."""
        text = f"You wrote {CARD}."
        self.provider(upstream.stream(upstream.says(text, 2)))
        self.assertEqual(said(self.stream(f"My card is {CARD}")), text)
        self.policy("MASK", direction="output")
        self.assertEqual(said(self.stream(f"My card is {CARD}")), text)


class LeavingTest(GatewayTest):
    """An application that does not wait for the end."""

    def test_who_leaves_frees_a_place(self):
        """The only place of a workspace is free again, long before a lost one would be."""
        self.provider(upstream.endless(upstream.event(upstream.chunk({"content": "more "}))))
        self.configure(rate_limits=LIMITS | {"burst": 1})
        body = json.dumps({"model": MODEL, "stream": True, "messages": [{"role": "user", "content": "hello"}]})
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"} | self.headers
        for _ in range(3):
            request = urllib.request.Request(self.service.url + CHAT, body.encode(), headers)
            with urllib.request.urlopen(request, timeout=60) as answer:
                self.assertTrue(answer.readline().startswith(b"data: "))


class ConversationTest(GatewayTest):
    """Turns, and many at once."""

    def test_three_turns_with_results_of_tools(self):
        """A value has the same placeholder in every turn, so that the provider's cache of the prompt holds."""
        provider = self.provider(upstream.whole(
            lambda request: upstream.completion(f"I read: {upstream.prompt(request)}")
        ))
        turns = [{"role": "system", "content": f"You work for {EMAIL}."}]
        for number in range(3):
            name, card, iban = guest(100 + number)
            call = {"id": f"call_{number}", "type": "function", "function": {
                "name": "look_up", "arguments": json.dumps({"query": name}),
            }}
            turns += [
                {"role": "user", "content": f"Turn {number}: {name} for {EMAIL}"},
                {"role": "assistant", "content": None, "tool_calls": [call]},
                {"role": "tool", "tool_call_id": f"call_{number}", "content": json.dumps({"card": card, "iban": iban})},
            ]
            _, _, answer = self.chat({"messages": turns})
            content = json.loads(answer)["choices"][0]["message"]["content"]
            self.assertIn(card, content)
            self.assertIn(iban, content)
            turns.append({"role": "assistant", "content": content})
        self.assertUnseen(*provider.requests)
        first, second, third = (request.json["messages"] for request in provider.requests)
        self.assertEqual(second[:len(first)], first)
        self.assertEqual(third[:len(second)], second)

    def test_twenty_streams_at_once(self):
        """None gets what is another's."""
        provider = self.provider(upstream.stream(upstream.says(upstream.prompt, 2), cuts=every(5)))
        people = [guest(1000 + number) for number in range(20)]
        rounds = 10 if FULL else 2

        def talk(number):
            text = f"I am {number}: " + ", ".join(people[number])
            return [said(self.stream(text)) == text for _ in range(rounds)]

        for number, outcome in enumerate(together(20, talk)):
            with self.subTest(number):
                self.assertEqual(outcome, [True] * rounds)
        self.assertEqual(len(provider.requests), 20 * rounds)
        self.assertUnseen(*provider.requests)
