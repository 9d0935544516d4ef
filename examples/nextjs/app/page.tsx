"use client";

import { type FormEvent, useState } from "react";
import { Message } from "./message";

type Said = { role: "user" | "assistant"; content: string };

export default function Page() {
  const [messages, setMessages] = useState<Said[]>([]);
  const [problem, setProblem] = useState("");
  const [isAsking, setAsking] = useState(false);
  const [draft, setDraft] = useState("");

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isAsking) return;
    const content = String(new FormData(event.currentTarget).get("content"));
    setDraft("");
    const asked: Said[] = [...messages, { role: "user", content }];
    setMessages(asked);
    setProblem("");
    setAsking(true);
    try {
      const answer = await fetch("/api/chat", { method: "POST", body: JSON.stringify({ messages: asked }) });
      const { reply, error } = await answer.json();
      if (answer.ok) setMessages([...asked, { role: "assistant", content: reply }]);
      else setProblem(error);
    } catch {
      setProblem("the chat did not answer");
    }
    setAsking(false);
  }

  return (
    <main>
      <ol>
        {messages.map(({ role, content }, index) => (
          <li key={index} className={role}>
            {content}
          </li>
        ))}
      </ol>
      <p role="alert">{problem}</p>
      <form onSubmit={send}>
        <Message text={draft} onText={setDraft} />
        <button aria-disabled={isAsking}>Send</button>
      </form>
    </main>
  );
}
