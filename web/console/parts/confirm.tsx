// A question before something is gone for good.

import { useEffect, useRef, useState } from "preact/hooks";
import type { Call } from "../request.js";
import { send } from "../request.js";
import { AsCurl } from "./curl.js";
import { focusPage } from "./focus.js";
import { Refused } from "./notice.js";
import { useSending } from "./saving.js";

interface ConfirmedProps {
  /** The label of the button, such as "Delete". */
  verb: string;
  /** Whom it is done to. */
  subject: string;
  question: string;
  call: () => Call<unknown>;
  onDone: () => void;
}

/** A button that asks first, then sends. */
export function Confirmed({ verb, subject, question, call, onDone }: ConfirmedProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="danger" aria-label={`${verb} ${subject}`} onClick={() => setOpen(true)}>
        {verb}
      </button>
      {isOpen && (
        <Question verb={verb} question={question} call={call()} onDone={onDone} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

interface QuestionProps {
  verb: string;
  question: string;
  call: Call<unknown>;
  onDone: () => void;
  onClose: () => void;
}

function Question({ verb, question, call, onDone, onClose }: QuestionProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { refusal, run } = useSending();
  useEffect(() => dialog.current?.showModal(), []);
  // the focus goes back as the dialog closes, so that comes before the dialog goes
  const close = () => {
    dialog.current?.close();
    onClose();
  };
  const confirm = async () => {
    await send(call);
    close();
    // the button that asked goes with what it was for
    focusPage();
    onDone();
  };
  return (
    <dialog ref={dialog} aria-label={question} onCancel={close}>
      <p>{question}</p>
      <Refused error={refusal} />
      <div class="actions">
        <button type="button" class="danger" onClick={() => run(confirm)}>
          {verb}
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
      <AsCurl call={call} />
    </dialog>
  );
}
