"use client";

import { useProtect } from "textveil/react";

/** The field of a message; below it, made in the browser, what the model will read of it. */
export function Message({ text, onText }: { text: string; onText: (text: string) => void }) {
  const { protector } = useProtect({ mode: "mask" });
  const read = protector && text !== "" ? protector.protect(text) : undefined;
  return (
    <>
      <input
        name="content"
        aria-label="Message"
        autoComplete="off"
        required
        value={text}
        onChange={({ currentTarget }) => onText(currentTarget.value)}
      />
      <output>{read && read.entities.length > 0 ? `The model reads: ${read.protectedText}` : ""}</output>
    </>
  );
}
