// Options of the integrations with clients of language models.

import type { BinaryOptions, ProtectOptions, RestoreOptions } from "./options.js";

/**
 * Options of the integrations with clients of language models.
 *
 * @example
 * const { FakeListChatModel } = await import("@langchain/core/utils/testing");
 * const answering = new FakeListChatModel({ responses: ["Dear [[NAME_1]]"] });
 * const model = protectModel(answering, { excludeEntities: ["city"], tools: "own", restoreHosts: ["*.example.com"] });
 * (await model.invoke("I am Emily Carter.")).content; // "Dear Emily Carter"
 */
export interface PromptOptions extends Omit<ProtectOptions<string>, "mode" | "operators" | "policies" | "defaultAction">, BinaryOptions, RestoreOptions {
  /**
   * The values that are restored in the arguments of a tool. `own`, also when absent: those of the messages of the user
   * and the system, and of its own results. `all`: those of the results of other tools too. Arguments that name a host or
   * a mail address which `restoreHosts` does not have get none.
   */
  tools?: "own" | "all" | undefined;
}
