// A conversation with a language model: messages with placeholders on the way out, the answer restored on the way back.

import { computed, effect, signal } from "@preact/signals";
import { createProtector, type Protector, type RestoreCounts, TextveilError } from "textveil";
import { t } from "./i18n/index.js";
import { lexicons } from "./lexicons.js";
import { options, typesOff } from "./state.js";

export const ROLES = ["system", "user", "assistant", "tool"] as const;
export type Role = (typeof ROLES)[number];

export interface Message {
  id: number;
  role: Role;
  text: string;
}

/** A value and its placeholder in a text. */
export interface Placed {
  type: string;
  original: string;
  placeholder: string;
  start: number;
  end: number;
}

/** A message as the provider sees it. */
export interface SentMessage {
  id: number;
  role: Role;
  text: string;
  placed: readonly Placed[];
}

/** A piece of the answer, and what the application has when it is there. */
export interface Arrival {
  piece: string;
  given: string;
}

let lastId = 0;

const message = (role: Role, text: string): Message => ({ id: ++lastId, role, text });

export const messages = signal<readonly Message[]>([
  message("system", "You are the assistant of a travel agency. Answer in two sentences."),
  message(
    "user",
    "Emily Carter wants to move her booking to 3 May. Her card is 4111 1111 1111 1111, her address emily.carter@example.co.uk. Write her a reply.",
  ),
]);

export function addMessage(): void {
  messages.value = [...messages.value, message("user", "")];
}

export function changeMessage(changed: Message): void {
  messages.value = messages.value.map((other) => (other.id === changed.id ? changed : other));
}

export function removeMessage({ id }: Message): void {
  messages.value = messages.value.filter((other) => other.id !== id);
}

interface Sent {
  protector: Protector;
  /** The counts of the text that was restored last. */
  told: { counts?: RestoreCounts };
  messages: readonly SentMessage[];
  /** Why the engine rejects the options. */
  refusal?: string;
}

/** The messages with placeholders, numbered anew from the first one: the same messages have the same placeholders. */
export const sent = computed<Sent>(() => {
  // the same messages have more placeholders once names are found
  void lexicons.value;
  const told: Sent["told"] = {};
  const onRestored = (counts: RestoreCounts) => void (told.counts = counts);
  const protector = createProtector({ ...options.value, excludeEntities: [...typesOff.value], mode: "placeholder", onRestored });
  try {
    return { protector, told, messages: messages.value.map((message) => protectedMessage(message, protector)) };
  } catch (error) {
    if (!(error instanceof TextveilError)) throw error;
    return { protector, told, messages: [], refusal: error.message };
  }
});

function protectedMessage({ id, role, text }: Message, protector: Protector): SentMessage {
  if (text.trim() === "") return { id, role, text, placed: [] };
  const { protectedText, entities } = protector.protect(text);
  let shift = 0;
  const placed = entities.map(({ type, original, protected: placeholder, start, end }) => {
    const from = start + shift;
    shift += placeholder.length - (end - start);
    return { type, original, placeholder, start: from, end: from + placeholder.length };
  });
  return { id, role, text: protectedText, placed };
}

/** The placeholders of the conversation with their values, each once. */
export const placeholders = computed<readonly Placed[]>(() => {
  const known = new Map<string, Placed>();
  for (const { placed } of sent.value.messages) for (const one of placed) known.set(one.placeholder, one);
  return [...known.values()];
});

/** The reader's own answer; undefined while it is the page's. */
export const ownAnswer = signal<string | undefined>(undefined);

/** The answer of the model. */
export const answer = computed(() => {
  if (ownAnswer.value !== undefined) return ownAnswer.value;
  const list = placeholders.value.map(({ placeholder }) => placeholder);
  if (list.length === 0) return t("plainAnswer");
  // models change case and spaces
  const [first = ""] = list;
  const changed = first.toLowerCase().replace("_", " ");
  return t("modelAnswer", { list: list.join(", "), changed });
});

/** UTF-16 units in a piece of the answer. */
export const pieceLength = signal(4);
/** Pieces that have arrived; all of them where it is undefined. */
export const arrivedPieces = signal<number | undefined>(undefined);

/** The answer piece by piece, as the restoring stream of the package gives it. */
export const arrivals = signal<readonly Arrival[]>([]);

/** The counts of the placeholders of the answer. */
export const restoreCounts = signal<RestoreCounts | undefined>(undefined);

/** The parts that have arrived by now, the last of them first known when the answer ends. */
export const arrived = computed(() => {
  const n = Math.min(arrivedPieces.value ?? arrivals.value.length, arrivals.value.length);
  const seen = arrivals.value.slice(0, n);
  return { n, received: seen.map(({ piece }) => piece), given: seen.at(-1)?.given ?? "", isWhole: n === arrivals.value.length };
});

/** Restores the answer anew whenever it, its pieces or the conversation changes. */
export function followAnswer(): () => void {
  let latest = 0;
  return effect(() => {
    const own = ++latest;
    const { protector, told } = sent.value;
    void restoredBy(protector, cut(answer.value, pieceLength.value)).then((restored) => {
      if (own !== latest) return;
      arrivals.value = restored;
      restoreCounts.value = told.counts;
    });
  });
}

async function restoredBy(protector: Protector, pieces: readonly string[]): Promise<Arrival[]> {
  const { readable, writable } = protector.restoreStream();
  const writer = writable.getWriter();
  const reader = readable.getReader();
  let given = "";
  const reading = (async () => {
    for (let read = await reader.read(); !read.done; read = await reader.read()) given += read.value;
  })();
  const arrivals: Arrival[] = [];
  for (const piece of pieces) {
    // done when its output was read
    await writer.write(piece);
    arrivals.push({ piece, given });
  }
  await writer.close();
  await reading;
  const last = arrivals.at(-1);
  if (last !== undefined) last.given = given;
  return arrivals;
}

function cut(text: string, length: number): string[] {
  return Array.from({ length: Math.ceil(text.length / length) }, (_, n) => text.slice(n * length, (n + 1) * length));
}

/** The values of the conversation in a text, for its marks: the longest of those at a place. */
export function valuesIn(text: string): readonly Placed[] {
  const found: Placed[] = [];
  const values = placeholders.value.toSorted((a, b) => b.original.length - a.original.length);
  for (let at = 0; at < text.length; ) {
    const here = values.find(({ original }) => text.startsWith(original, at));
    if (here === undefined) at += 1;
    else {
      found.push({ ...here, start: at, end: at + here.original.length });
      at += here.original.length;
    }
  }
  return found;
}
