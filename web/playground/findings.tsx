// The findings: what each is, how sure it is, why, and whether it is protected.

import { type Signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { detectors, type Evidence } from "textveil";
import { save } from "../ui/download.js";
import type { Finding } from "./analysis.js";
import { Details } from "./details.js";
import { current, scrollToMark, showInText } from "./editor.js";
import { findingsAsCsv, findingsAsJson } from "./findings-file.js";
import { count, countryName, number, percent, t, term } from "./i18n/index.js";
import { lexicons, loadLexicons } from "./lexicons.js";
import { Meter } from "./meter.js";
import { countryCodes, descriptionOf, factName, factValue } from "./names.js";
import { decideReviewed, placeOf, reviewed, step, stepsTaken, underReview } from "./review.js";
import {
  analysis,
  category,
  decide,
  isDone,
  isProtected,
  isRejected,
  opened,
  progress,
  refused,
  setTypeOn,
  text,
  typesFound,
  typesOff,
} from "./state.js";
import { TypeTitle } from "./type-title.js";

/** A list that is longer is shown bit by bit. */
const SHOWN = 100;
/** A text longer than this takes a noticeable time, in UTF-16 units. */
const LONG = 50_000;
/** More words than these explain nothing. */
const REASONS = 20;

export function Findings() {
  const { findings } = analysis.value;
  const shown = useSignal(SHOWN);
  // the finding under review is always there
  const visible = Math.max(shown.value, Math.ceil((reviewed.value + 1) / SHOWN) * SHOWN);
  const rest = Math.min(findings.length - visible, SHOWN);
  const said = useSignal("");
  const review = (accept: boolean) => {
    const finding = decideReviewed(accept);
    if (finding !== undefined) said.value = t(accept ? "accepted" : "rejected", { value: finding.original });
  };
  const list = useRef<HTMLOListElement>(null);
  // the keyboard goes with the review, and stays where it is when the finding or this view comes back
  const shownSteps = useRef(stepsTaken.value);
  useLayoutEffect(() => {
    if (underReview.value === undefined || stepsTaken.value === shownSteps.current) return;
    shownSteps.current = stepsTaken.value;
    const item = list.current?.querySelector<HTMLElement>("[aria-current] summary");
    item?.focus({ preventScroll: true });
    item?.scrollIntoView({ block: "nearest" });
    scrollToMark(underReview.value);
  }, [stepsTaken.value]);
  const onKeyDown = (event: KeyboardEvent) => {
    const act = event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) ? undefined : KEYS[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act(review);
  };
  return (
    <section
      class="found"
      aria-labelledby="found-title"
      aria-busy={progress.value !== undefined}
      onKeyDown={onKeyDown}
    >
      <div class="bar">
        <h2 id="found-title" tabIndex={-1}>{t("findings")}</h2>
        <Summary />
        {/* a button that is disabled would lose the focus; where there is nothing to do, these do nothing */}
        <button type="button" aria-disabled={!findings.some(isRejected)} onClick={() => decide(findings, true)}>
          {t("acceptAll")}
        </button>
        <button type="button" aria-disabled={findings.every(isRejected)} onClick={() => decide(findings, false)}>
          {t("rejectAll")}
        </button>
      </div>
      {lexicons.value === "failed" && <NoNames />}
      {text.value === "" ? <Scope /> : <Types />}
      {findings.length > 0 && <Review said={said.value} onDecide={review} />}
      <ol id="findings" ref={list}>
        {findings.slice(0, visible).map((finding, index) => (
          <Item key={placeOf(finding)} finding={finding} isReviewed={index === reviewed.value} />
        ))}
      </ol>
      {rest > 0 && (
        <button type="button" class="more" onClick={() => showMore(shown, list.current)}>
          {count("showMore", rest)}
        </button>
      )}
    </section>
  );
}

/** The actions of keys within the findings: characters there are no text. */
const KEYS: Record<string, (decide: (accept: boolean) => void) => void> = {
  n: () => step(1),
  p: () => step(-1),
  a: (decide) => decide(true),
  r: (decide) => decide(false),
};

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement ? target.type !== "checkbox" : target instanceof HTMLTextAreaElement;
}

/** The buttons of the review, which have keys too, and the files of the findings. */
function Review({ said, onDecide }: { said: string; onDecide: (accept: boolean) => void }) {
  const { findings } = analysis.value;
  const isBegun = underReview.value !== undefined;
  const n = number(reviewed.value + 1);
  const download = (content: string, type: string, extension: string) => {
    const name = (opened.value?.name ?? "text.txt").replace(/\.[^.]*$/, "");
    save(new Blob([content], { type }), `${name}.findings.${extension}`);
  };
  return (
    <div class="review" role="group" aria-label={t("review")}>
      <button type="button" aria-keyshortcuts="p" onClick={() => step(-1)}>
        {t("previous")}
      </button>
      <button type="button" aria-keyshortcuts="n" onClick={() => step(1)}>
        {t("next")}
      </button>
      <button type="button" aria-keyshortcuts="a" disabled={!isBegun} onClick={() => onDecide(true)}>
        {t("acceptOne")}
      </button>
      <button type="button" aria-keyshortcuts="r" disabled={!isBegun} onClick={() => onDecide(false)}>
        {t("rejectOne")}
      </button>
      <p id="reviewed" role="status">
        {[said, isBegun ? t("position", { n, total: number(findings.length) }) : ""].filter(Boolean).join(" · ")}
      </p>
      <button type="button" onClick={() => download(findingsAsJson(findings), "application/json", "json")}>
        {t("exportAs", { format: "JSON" })}
      </button>
      <button type="button" onClick={() => download(findingsAsCsv(findings), "text/csv", "csv")}>
        {t("exportAs", { format: "CSV" })}
      </button>
      <p class="note">{t("reviewKeys")}</p>
    </div>
  );
}

function showMore(shown: Signal<number>, list: Element | null): void {
  // the button goes with the last of them; the next step of Tab leads to what is new
  list?.querySelector<HTMLElement>(":scope > li:last-child summary")?.focus();
  shown.value += SHOWN;
}

function Summary() {
  const isRefused = refused.value !== undefined;
  return (
    // the engine speaks English
    <p id="summary" role="status" class={isRefused ? "error" : ""} lang={isRefused ? "en" : undefined}>
      {summary()}
    </p>
  );
}

function summary(): string {
  if (refused.value !== undefined) return refused.value;
  const isLong = text.value.length > LONG;
  if (isLong && progress.value !== undefined) return t("lookingAt", { percent: percent(progress.value) });
  if (text.value === "") return t("nothingYet");
  const { findings } = analysis.value;
  const left = findings.filter((finding) => !isProtected(finding)).length;
  const said = [findings.length > 0 ? count("found", findings.length) : t("nothingFound")];
  if (left > 0) said.push(count("leftAsIs", left));
  if (lexicons.value === "loading") said.push(t("namesLoading"));
  return said.join(" · ");
}

/** Says that names are not found, and offers to try again. */
function NoNames() {
  return (
    <p class="no-names error" role="alert">
      <span>{t("namesFailed")}</span>
      <button
        type="button"
        onClick={() => {
          // the note goes
          document.getElementById("found-title")?.focus();
          loadLexicons();
        }}
      >
        {t("tryAgain")}
      </button>
    </p>
  );
}

/** The types that can be found, while there is no text. */
function Scope() {
  const { count, detectors: all } = detectors();
  const countries = countryCodes(all).length;
  return <p class="scope">{t("scope", { n: number(count), countries: number(countries) })}</p>;
}

/** The types found, each to be switched off and on. */
function Types() {
  if (typesFound.value.length === 0) return null;
  return (
    <div class="types" role="group" aria-label={t("types")}>
      {typesFound.value.map(([type, n]) => (
        <button
          key={type}
          type="button"
          class="chip"
          data-category={category(type)}
          data-type={type}
          aria-pressed={!typesOff.value.has(type)}
          onClick={() => setTypeOn(type, typesOff.value.has(type))}
        >
          <TypeTitle class="chip-name" type={type} /> <span class="count">{n}</span>
        </button>
      ))}
    </div>
  );
}

function Item({ finding, isReviewed }: { finding: Finding; isReviewed: boolean }) {
  const isOpen = useSignal(false);
  const { type, original, country, validated, confidence } = finding;
  return (
    <li
      data-category={category(type)}
      data-of={finding.start}
      data-current={finding.start === current.value || isReviewed || undefined}
      aria-current={isReviewed || undefined}
      data-off={!isProtected(finding) || undefined}
    >
      <input
        type="checkbox"
        aria-label={t("accept", { value: original })}
        title={t("accept", { value: original })}
        checked={isProtected(finding)}
        disabled={typesOff.value.has(type)}
        onChange={({ currentTarget }) => decide([finding], currentTarget.checked)}
      />
      <Details isOpen={isOpen}>
        <summary>
          <TypeTitle class="type" type={type} />
          <span class="value">{original}</span>
          <span class="country">{country === null ? "" : countryName(country)}</span>
          <span class="validated">{validated ? t("checked") : ""}</span>
          <Meter part={confidence} label={t("confidence", { percent: percent(confidence) })} />
        </summary>
        {isOpen.value && <Why finding={finding} />}
      </Details>
    </li>
  );
}

function Why({ finding }: { finding: Finding }) {
  const description = descriptionOf(finding);
  const facts = Object.entries(finding.metadata ?? {});
  const alike = analysis.value.findings.filter(({ type }) => type === finding.type);
  return (
    <div class="why">
      {/* the catalogue is in English */}
      {description !== undefined && (
        <p class="description" lang="en">
          {description}
        </p>
      )}
      <div>
        <h3>{t("evidence")}</h3>
        <Reasons evidence={finding.evidence ?? []} />
      </div>
      {facts.length > 0 && (
        <div>
          <h3>{t("facts")}</h3>
          <dl>
            {facts.map(([name, value]) => (
              <div key={name}>
                <dt>{factName(name)}</dt>
                <dd>{factValue(name, value)}</dd>
              </div>
            ))}
          </dl>
        </div>
      )}
      <div class="actions">
        <button type="button" disabled={!isDone.value} onClick={() => showInText(finding)}>
          {t("show")}
        </button>
        {alike.some((other) => !isRejected(other)) ? (
          <button type="button" onClick={() => decide(alike, false)}>
            {t("rejectType")} ({alike.length})
          </button>
        ) : (
          <button type="button" onClick={() => decide(alike, true)}>
            {t("acceptType")} ({alike.length})
          </button>
        )}
      </div>
    </div>
  );
}

/** The evidence for and against, with the words it points at. */
export function Reasons({ evidence }: { evidence: readonly Evidence[] }) {
  if (evidence.length === 0) return <p>{t("noEvidence")}</p>;
  return (
    <ul class="evidence">
      {evidence.slice(0, REASONS).map((reason, index) => (
        <Reason key={index} {...reason} />
      ))}
    </ul>
  );
}

function Reason({ signal, weight, start, end }: Evidence) {
  const words = start === undefined || end === undefined ? "" : analysis.value.text.slice(start, end);
  return (
    <li class={weight < 0 ? "against" : "for"}>
      <span class="weight">
        {weight < 0 ? "−" : "+"}
        {Math.abs(weight).toFixed(1)}
      </span>
      <span>
        {term("signals", signal) ?? signal.replaceAll("_", " ")} {words !== "" && <q>{words}</q>}
      </span>
    </li>
  );
}
