// Writes what the pages include and the pages of detectors, from the sources of the repository.

import { catalogue } from "./catalogue.mjs";
import { clear } from "./files.mjs";
import { javascript } from "./javascript.mjs";
import { llms } from "./llms.mjs";
import { errors, options, rest } from "./rest.mjs";
import { configuration, metrics, scopes } from "./service.mjs";
import { deployment, design, hostLimits, icon, scorecard } from "./texts.mjs";

clear(".generated");
for (const generate of [rest, errors, options, configuration, scopes, metrics, catalogue, scorecard, deployment, design, hostLimits, icon, llms]) generate();
await javascript();
