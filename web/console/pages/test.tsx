// Tests of the policies: of a text as it is typed, and of a chat as a request to a provider.

import { allPolicies } from "../api.js";
import { useLoad } from "../parts/load.js";
import { Refused } from "../parts/notice.js";
import { place } from "../router.js";
import { DryRun } from "./dry-run.js";
import { PolicyTrial } from "./policy-trial.js";

const TABS = [
  { path: "test", title: "Live test", Tab: LiveTest },
  { path: "test/dry-run", title: "Dry run", Tab: DryRun },
] as const;

export function Test() {
  const open = TABS.find(({ path }) => path === place.value.join("/")) ?? TABS[0];
  const { Tab } = open;
  return (
    <>
      <ul class="tabs" aria-label="Tests">
        {TABS.map(({ path, title }) => (
          <li key={path}>
            <a href={`#/${path}`} aria-current={path === open.path ? "page" : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
      <Tab />
    </>
  );
}

function LiveTest() {
  const { data, error } = useLoad(allPolicies, []);
  return (
    <>
      <p class="lead">The test shows the decision about each finding in a text under the current policies.</p>
      <Refused error={error} />
      <PolicyTrial stored={data} withDraft={undefined} />
    </>
  );
}
