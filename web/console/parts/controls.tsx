// The controls that forms are made of.

import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Field, type FieldProps, UndoButton } from "./form.js";

interface TextProps extends FieldProps {
  value: string;
  onChange: (value: string) => void;
  required?: boolean;
  /** `code` for what people copy rather than read. */
  look?: "code";
  placeholder?: string;
  type?: "text" | "url" | "datetime-local" | "search" | "password";
  suggestions?: readonly string[];
}

export function TextField({ value, onChange, required, look, placeholder, type = "text", suggestions, ...field }: TextProps) {
  const list = useId();
  return (
    <Field
      {...field}
      control={(control) => (
        <>
          <input
            {...control}
            // the typings pair each type with the roles it may have; a field has no such roles
            {...({ type } as { type: "text" })}
            class={look}
            value={value}
            required={required ?? false}
            placeholder={placeholder}
            spellcheck={false}
            autocomplete="off"
            {...(suggestions && { list })}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
          {suggestions && (
            <datalist id={list}>
              {suggestions.map((suggestion) => (
                <option key={suggestion} value={suggestion} />
              ))}
            </datalist>
          )}
        </>
      )}
    />
  );
}

interface NumberProps extends FieldProps {
  value: number | undefined;
  onChange: (value: number | undefined) => void;
  required?: boolean;
  step?: number;
}

/**
 * The typed text is left alone while it is typed. Half a number ("0.") is not a number and must not be put
 * back to what it was; a value that comes from elsewhere replaces it.
 */
export function NumberField({ value, onChange, required, step = 1, ...field }: NumberProps) {
  const input = useRef<HTMLInputElement>(null);
  const number = numberOf(value);
  // with what else the page says about the value, and not a frame later
  useLayoutEffect(() => {
    if (input.current && numberIn(input.current) !== number) input.current.value = String(number ?? "");
  }, [number]);
  return (
    <Field
      {...field}
      control={(control) => (
        <input
          {...control}
          ref={input}
          type="number"
          required={required ?? false}
          step={step}
          onInput={({ currentTarget }) => onChange(numberIn(currentTarget))}
        />
      )}
    />
  );
}

function numberIn({ valueAsNumber }: HTMLInputElement): number | undefined {
  return numberOf(valueAsNumber);
}

function numberOf(value: number | undefined): number | undefined {
  return Number.isNaN(value) ? undefined : value;
}

interface SelectProps<Value extends string> extends FieldProps {
  value: Value;
  onChange: (value: Value) => void;
  /** Values, or values with what is shown for them. */
  options: readonly (Value | readonly [value: Value, shown: string])[];
}

export function SelectField<Value extends string>({ value, onChange, options, ...field }: SelectProps<Value>) {
  return (
    <Field
      {...field}
      control={(control) => (
        <select {...control} value={value} onChange={(event) => onChange(event.currentTarget.value as Value)}>
          {options.map((option) => {
            const [one, shown] = typeof option === "string" ? [option, option] : option;
            return (
              <option key={one} value={one}>
                {shown}
              </option>
            );
          })}
        </select>
      )}
    />
  );
}

/** A list of names, typed with commas or spaces between them. */
export function ListField({
  values,
  onChange,
  placeholder,
  ...field
}: FieldProps & { values: readonly string[]; onChange: (values: string[]) => void; placeholder?: string }) {
  // the typed text stays as it is typed; the list is its value
  const [typed, setTyped] = useState(values.join(", "));
  const shown = namesIn(typed).join() === values.join() ? typed : values.join(", ");
  const change = (text: string) => {
    setTyped(text);
    onChange(namesIn(text));
  };
  return <TextField {...field} look="code" value={shown} onChange={change} {...(placeholder && { placeholder })} />;
}

function namesIn(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

interface CheckProps {
  checked: boolean;
  onChange: (checked: boolean) => void;
  /** The label beside the box. */
  children: string;
  onUndo?: (() => void) | undefined;
}

export function Check({ checked, onChange, children, onUndo }: CheckProps) {
  const id = useId();
  return (
    <div class="check" data-changed={onUndo ? "" : undefined}>
      <label>
        <input id={id} type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
        <span>{children}</span>
      </label>
      {onUndo && (
        <span class="changed">
          not saved <UndoButton of={children} control={id} onUndo={onUndo} />
        </span>
      )}
    </div>
  );
}

interface AddingProps {
  /** As a refusal names what it is added to. */
  name: string;
  label: string;
  verb: string;
  placeholder: string;
  suggestions?: readonly string[];
  /** Names that are there already. */
  taken: readonly string[];
  /** Returns the right spelling of a typed name. */
  spelt?: (name: string) => string;
  onAdd: (name: string) => void;
}

/** A name to add to a list, by the button beside it or by Enter, which would save the form around it otherwise. */
export function Adding({ verb, taken, spelt = (name) => name, onAdd, ...field }: AddingProps) {
  const [typed, setTyped] = useState("");
  const isNew = typed !== "" && !taken.includes(typed);
  const add = () => {
    if (!isNew) return;
    onAdd(typed);
    setTyped("");
  };
  const addByKey = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    add();
  };
  return (
    <div class="adding" onKeyDown={addByKey}>
      <TextField {...field} look="code" value={typed} onChange={(text) => setTyped(spelt(text.trim()))} />
      <button type="button" disabled={!isNew} onClick={add}>
        {verb}
      </button>
    </div>
  );
}

interface SegmentsProps<Value extends string> {
  legend: string;
  value: Value;
  options: readonly (readonly [value: Value, shown: string])[];
  onChange: (value: Value) => void;
}

/** A choice of few, all of them in sight. */
export function Segments<Value extends string>({ legend, value, options, onChange }: SegmentsProps<Value>) {
  const name = useId();
  return (
    <fieldset class="segments">
      <legend>{legend}</legend>
      {options.map(([one, shown]) => (
        <label key={one}>
          <input type="radio" name={name} checked={one === value} onChange={() => onChange(one)} />
          <span>{shown}</span>
        </label>
      ))}
    </fieldset>
  );
}
