// Forms whose fields show what the service rejects about them.

import { type ComponentChildren, createContext } from "preact";
import { useContext, useId, useLayoutEffect, useRef } from "preact/hooks";
import type { ApiError } from "../request.js";
import { Refused, sentence } from "./notice.js";

const Refusal = createContext<ApiError | undefined>(undefined);

interface FormProps {
  label: string;
  refusal: ApiError | undefined;
  onSubmit: () => void;
  children: ComponentChildren;
}

/** A refusal is shown at its field, which gets the focus, and where the form has its `FormRefusal`. */
export function Form({ label, refusal, onSubmit, children }: FormProps) {
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => {
    if (refusal) form.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [refusal]);
  const submit = (event: Event) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form class="form" ref={form} aria-label={label} autocomplete="off" onSubmit={submit}>
      <Refusal.Provider value={refusal}>{children}</Refusal.Provider>
    </form>
  );
}

/** The errors of the form, with or without a field for them. It belongs beside the buttons. */
export function FormRefusal() {
  return <Refused error={useContext(Refusal)} />;
}

interface SubmitProps {
  isSending: boolean;
  /** Whether there is nothing to send. */
  disabled?: boolean;
  children: string;
}

/**
 * Sends the form around it. While that is under way it is off in name only, since a button that is
 * disabled would lose the focus.
 */
export function SubmitButton({ isSending, disabled = false, children }: SubmitProps) {
  return (
    <button type="submit" class="primary" disabled={disabled} aria-disabled={isSending ? "true" : undefined}>
      {children}
    </button>
  );
}

export interface FieldProps {
  label: string;
  /** As `details.field` of a refusal names it. */
  name: string;
  hint?: ComponentChildren;
  /** The page's own objection to the value. */
  problem?: string | undefined;
  /** Given where the value is changed and not saved. */
  onUndo?: (() => void) | undefined;
}

/** The properties that a control takes over from its field. */
export interface ControlProps {
  id: string;
  name: string;
  "aria-describedby"?: string;
  "aria-invalid"?: "true";
}

export function Field({
  label,
  name,
  hint,
  problem,
  onUndo,
  isGroup = false,
  control,
}: FieldProps & {
  /** Whether it has several controls, each with a label of its own: then `id` is the label's. */
  isGroup?: boolean;
  control: (props: ControlProps) => ComponentChildren;
}) {
  const id = useId();
  const refusal = useContext(Refusal);
  const wrong = problem ?? (refusal?.field && isSameField(name, refusal.field) ? sentence(refusal.message) : undefined);
  const described = [hint && `${id}-hint`, onUndo && `${id}-changed`, wrong && `${id}-wrong`].filter(Boolean).join(" ");
  return (
    <div class="field" data-changed={onUndo ? "" : undefined}>
      <div class="field-head">
        {isGroup ? <span id={id}>{label}</span> : <label for={id}>{label}</label>}
        {onUndo && (
          <span class="changed">
            <span id={`${id}-changed`}>not saved</span>
            <UndoButton of={label} control={id} onUndo={onUndo} />
          </span>
        )}
      </div>
      {control({
        id,
        name,
        ...(described && { "aria-describedby": described }),
        ...(wrong && { "aria-invalid": "true" as const }),
      })}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {wrong && (
        <p class="wrong" id={`${id}-wrong`}>
          {wrong}
        </p>
      )}
    </div>
  );
}

/** It goes when it has been pressed, so the keyboard goes on in the control that it was for. */
export function UndoButton({ of, control, onUndo }: { of: string; control: string; onUndo: () => void }) {
  const undo = () => {
    onUndo();
    document.getElementById(control)?.focus();
  };
  return (
    <button type="button" class="link" aria-label={`Undo ${of}`} onClick={undo}>
      Undo
    </button>
  );
}

/** The service writes `*` for a name that it does not repeat, and the place of an entry in a list. */
function isSameField(name: string, refused: string): boolean {
  const [own, other] = [name.split("."), refused.replace(/\[\d+\]$/, "").split(".")];
  return own.length === other.length && own.every((part, index) => part === other[index] || other[index] === "*");
}
