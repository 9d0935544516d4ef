// The gateway's configuration: routes, limits, risk, audit.

import { useRef, useState } from "preact/hooks";
import { allProviders, changeConfiguration, getConfiguration } from "../api.js";
import { changeOf, fieldsOf } from "../configuration.js";
import { AsCurl } from "../parts/curl.js";
import { focusPage } from "../parts/focus.js";
import { Form, FormRefusal, SubmitButton } from "../parts/form.js";
import { useLoad } from "../parts/load.js";
import { announce, Refused } from "../parts/notice.js";
import { useSending } from "../parts/saving.js";
import { send } from "../request.js";
import { useUnsaved } from "../router.js";
import { tokens, userWorkspace, workspace } from "../session.js";
import { byTypeName } from "../type-names.js";
import type { Configuration, Provider } from "../types.js";
import type { Edited } from "./edited.js";
import { Behaviour } from "./routing-behaviour.js";
import { RiskLevels } from "./risk-levels.js";
import { Routes } from "./routes.js";

export function Routing() {
  const { data, error } = useLoad(load, []);
  return (
    <>
      <p class="lead">These settings decide the routes of requests, their limits and their audit records.</p>
      <Refused error={error} />
      {data && <Editor stored={data.configuration} providers={data.providers} />}
      <AsCurl call={getConfiguration()} name="This configuration as curl" />
    </>
  );
}

/** The providers too, where the user token opens those of this workspace. */
async function load(): Promise<{ configuration: Configuration; providers: Provider[] }> {
  const configuration = withDefaults(await send(getConfiguration()));
  const seesProviders = tokens.value.user !== undefined && userWorkspace.value === workspace.value;
  return { configuration, providers: seesProviders ? await allProviders() : [] };
}

/** Absent is true, so that a box that was ticked off and on again is no change. Types have one spelling. */
function withDefaults(configuration: Configuration): Configuration {
  const { streaming, risk_levels } = configuration;
  const defaults = { streaming: { ...streaming, fail_closed: streaming.fail_closed ?? true } };
  return { ...configuration, ...defaults, risk_levels: byTypeName(risk_levels) };
}

function Editor({ stored: first, providers }: { stored: Configuration; providers: Provider[] }) {
  const [stored, setStored] = useState(first);
  const [draft, setDraft] = useState(first);
  const { isSending, refusal, run, forget } = useSending();
  const edited: Edited = { draft, stored, set: (change) => setDraft((before) => ({ ...before, ...change })) };
  // input while the change is sent must not be lost
  const latest = useRef(draft);
  latest.current = draft;
  const change = changeOf(stored, draft);
  const changedFields = fieldsOf(change);
  useUnsaved(changedFields.length > 0);

  const undo = () => {
    setDraft(stored);
    forget();
    // the buttons of the bar are off now, so the focus must not stay on them
    focusPage();
  };
  const save = async () => {
    if (changedFields.length === 0) return;
    const saved = withDefaults(await send(changeConfiguration(change)));
    setStored(saved);
    if (latest.current === draft) {
      setDraft(saved);
      focusPage();
    }
    announce(`Saved: ${changedFields.join(", ")}.`);
  };

  return (
    <Form label="Configuration" refusal={refusal} onSubmit={() => run(save)}>
      <Routes {...edited} providers={providers} />
      <Behaviour {...edited} />
      <RiskLevels {...edited} />
      <div class="save-bar">
        <FormRefusal />
        <p role="status">
          {changedFields.length === 0 ? "No unsaved changes." : `Not saved: ${changedFields.join(", ")}.`}
        </p>
        <button type="button" disabled={changedFields.length === 0} onClick={undo}>
          Undo all
        </button>
        <SubmitButton isSending={isSending} disabled={changedFields.length === 0}>
          Save
        </SubmitButton>
        <AsCurl call={changeConfiguration(change)} name="Save as curl" />
      </div>
    </Form>
  );
}
