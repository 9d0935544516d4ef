// Options of the integrations with clients of language models.

import type { BinaryOptions, ProtectOptions } from "./options.js";

/**
 * Options of the integrations with clients of language models.
 *
 * @example
 * const { FakeListChatModel } = await import("@langchain/core/utils/testing");
 * const answering = new FakeListChatModel({ responses: ["Dear [[NAME_1]]"] });
 * const model = protectModel(answering, { excludeEntities: ["city"], tools: "own", hosts: ["*.example.com"] });
 * (await model.invoke("I am Emily Carter.")).content; // "Dear Emily Carter"
 */
export interface PromptOptions extends Omit<ProtectOptions<string>, "mode" | "operators" | "policies" | "defaultAction">, BinaryOptions {
  /**
   * Hosts whose addresses in an answer may contain restored values, in addition to those that the messages of the user
   * and the system name; `*.example.com` allows all subdomains.
   */
  hosts?: readonly string[] | undefined;
  /**
   * The values that are restored in the arguments of a tool. `own`, also when absent: those of the messages of the user
   * and the system, and of its own results. `all`: those of the results of other tools too.
   */
  tools?: "own" | "all" | undefined;
}
