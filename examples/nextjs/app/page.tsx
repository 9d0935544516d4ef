"use client";

import { type FormEvent, useState } from "react";

type Message = { role: "user" | "assistant"; content: string };

export default function Page() {
  const [messages, setMessages] = useState<Message[]>([]);

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = event.currentTarget;
    const content = String(new FormData(form).get("content"));
    form.reset();
    const asked: Message[] = [...messages, { role: "user", content }];
    setMessages(asked);
    const answer = await fetch("/api/chat", { method: "POST", body: JSON.stringify({ messages: asked }) });
    const { reply } = await answer.json();
    setMessages([...asked, { role: "assistant", content: reply }]);
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
      <form onSubmit={send}>
        <input name="content" aria-label="Message" autoComplete="off" required />
        <button>Send</button>
      </form>
    </main>
  );
}
