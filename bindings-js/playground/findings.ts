// The list of findings: what each is, how sure it is, and why.

import type { DetectedEntity, Evidence } from "textveil";

/** What a signal of the engine means to a reader. */
const SIGNALS: Record<string, string> = {
  shape: "its shape",
  check: "its check digits",
  label: "a label beside it",
  context: "words around it",
  country: "the country of the text",
  neighbour: "what touches it",
  competing: "it may be something else",
};

const NAMES = new Intl.DisplayNames(["en"], { type: "region", fallback: "code" });

/** The name of a country, or its code where it has none. */
export function countryName(code: string): string {
  try {
    return NAMES.of(code) ?? code;
  } catch {
    return code;
  }
}

/** A type as a reader would write it: `credit_card` is `credit card`. */
export function typeName(type: string): string {
  return type.replaceAll("_", " ");
}

/** A confidence in per cent. Only what is certain is 100 %. */
export function percent(confidence: number): string {
  return `${Math.min(Math.round(confidence * 100), confidence < 1 ? 99 : 100)} %`;
}

/**
 * Shows the findings of `text` as items of `list`. What the reader has opened stays open. `show` is
 * called when the place of a finding is asked for.
 */
export function showFindings(
  list: HTMLElement,
  entities: readonly DetectedEntity[],
  text: string,
  category: (type: string) => string,
  show: (entity: DetectedEntity) => void,
): void {
  const opened = new Set([...list.querySelectorAll("details[open] .value")].map(({ textContent }) => textContent));
  const items = entities.map((entity) => {
    const details = findingDetails(entity, text, () => show(entity));
    details.open = opened.has(entity.original);
    const item = element("li", {}, [details]);
    item.dataset["category"] = category(entity.type);
    return item;
  });
  list.replaceChildren(...items);
}

function findingDetails(entity: DetectedEntity, text: string, show: () => void): HTMLDetailsElement {
  const summary = element("summary", {}, [
    element("span", { className: "type" }, [typeName(entity.type)]),
    element("span", { className: "value" }, [entity.original]),
    element("span", { className: "country" }, [entity.country === null ? "" : countryName(entity.country)]),
    element("span", { className: "validated" }, [entity.validated ? "checked" : ""]),
    meter(entity.confidence),
  ]);
  const facts = Object.entries(entity.metadata ?? {}).flatMap(([name, fact]) => [
    element("dt", {}, [typeName(name)]),
    element("dd", {}, [typeof fact === "boolean" ? (fact ? "yes" : "no") : typeName(fact)]),
  ]);
  const why = element("div", { className: "why" }, [
    element("ul", { className: "evidence" }, (entity.evidence ?? []).map((reason) => evidenceItem(reason, text))),
    element("dl", {}, facts),
    element("button", { type: "button", onclick: show }, ["Show in the text"]),
  ]);
  return element("details", {}, [summary, why]);
}

function evidenceItem({ signal, weight, start, end }: Evidence, text: string): HTMLLIElement {
  const words = [SIGNALS[signal] ?? typeName(signal)];
  if (start !== undefined && end !== undefined) words.push(`: “${text.slice(start, end)}”`);
  const side = weight < 0 ? "against" : "for";
  return element("li", { className: side }, [
    element("span", { className: "weight" }, [`${weight < 0 ? "−" : "+"}${Math.abs(weight).toFixed(1)}`]),
    element("span", {}, words),
  ]);
}

function meter(confidence: number): HTMLElement {
  const bar = element("span", { className: "meter" });
  bar.style.setProperty("--part", `${confidence * 100}%`);
  return element("span", { className: "confidence", title: "confidence" }, [bar, percent(confidence)]);
}

function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
  children: (Node | string)[] = [],
): HTMLElementTagNameMap[K] {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}
