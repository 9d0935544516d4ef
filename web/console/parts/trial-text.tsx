// The text of a live test.

/** A text area for a text that is sent as it is typed. */
export function TrialText({ value, placeholder, onInput }: { value: string; placeholder?: string; onInput: (text: string) => void }) {
  return (
    <>
      <label class="unseen" for="trial-text">
        Text to try
      </label>
      <textarea
        id="trial-text"
        rows={5}
        maxLength={50_000}
        spellcheck={false}
        placeholder={placeholder}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </>
  );
}
