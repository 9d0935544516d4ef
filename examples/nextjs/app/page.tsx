"use client";

import { type FormEvent, useState } from "react";

type Message = { role: "user" | "assistant"; content: string };

export default function Page() {
  const [messages, setMessages] = useState<Message[]>([]);
  const [problem, setProblem] = useState("");
  const [isAsking, setAsking] = useState(false);

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isAsking) return;
    const form = event.currentTarget;
    const content = String(new FormData(form).get("content"));
    form.reset();
    const asked: Message[] = [...messages, { role: "user", content }];
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
        <input name="content" aria-label="Message" autoComplete="off" required />
        <button aria-disabled={isAsking}>Send</button>
      </form>
    </main>
  );
}
