// A field of text with its label, and what the engine has against its content.

import type { Refusal } from "./rules.js";

interface FieldProps {
  id: string;
  label: string;
  value: string;
  refusal?: Refusal | undefined;
  onInput: (value: string) => void;
}

export function Field({ id, label, value, refusal, onInput }: FieldProps) {
  const error = `${id}-error`;
  return (
    <div class="field">
      <label for={id}>
        <span>{label}</span>
      </label>
      <input
        id={id}
        value={value}
        spellcheck={false}
        autocapitalize="off"
        aria-invalid={refusal !== undefined}
        aria-describedby={refusal && error}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {/* the engine speaks English */}
      {refusal !== undefined && (
        <p id={error} class="error" role="alert" lang="en">
          {refusal.message}
        </p>
      )}
    </div>
  );
}
