// The operators of types: the replacement of findings, if it differs from that of all others.

import { computed, signal } from "@preact/signals";
import type { Operator } from "textveil";
import type { TypeOwnMode } from "./analysis.js";

/** The mode of one type with its settings. */
export interface TypeMode {
  mode: TypeOwnMode;
  /** For `mask`: letters and digits at the end that stay. */
  keepLast?: number;
  /** For `replace`: the text instead of `[REDACTED]`. */
  newValue?: string;
}

/** By type; a type that is absent has the mode of the page. */
export const typeModes = signal<ReadonlyMap<string, TypeMode>>(new Map());

/** Sets the mode of a type, or removes it. */
export function setTypeMode(type: string, chosen: TypeMode | undefined): void {
  const modes = new Map(typeModes.value);
  if (chosen === undefined) modes.delete(type);
  else modes.set(type, chosen);
  typeModes.value = modes;
}

/** The modes by type as the options of the engine. */
export const operators = computed<Record<string, Operator>>(() =>
  Object.fromEntries([...typeModes.value].map(([type, chosen]) => [type, operatorOf(chosen)])),
);

function operatorOf({ mode, keepLast, newValue }: TypeMode): Operator {
  return {
    mode,
    ...(mode === "mask" && keepLast !== undefined && { keepLast }),
    ...(mode === "replace" && newValue !== undefined && { newValue }),
  };
}

/** The mode that an operator stands for; undefined for one that the page does not offer. */
export function typeModeOf({ mode = "replace", keepLast, newValue }: Operator): TypeMode {
  return {
    mode,
    ...(keepLast !== undefined && { keepLast }),
    ...(newValue !== undefined && { newValue }),
  };
}
