// The order in which policies decide, and the priorities that make it.

import { ACTIONS, type Policy, type PolicyDraft } from "./types.js";

/** Between neighbours, so that a policy can be put between them without touching another one. */
const STEP = 10;
/** Largest priority that the service takes, and, negated, the smallest. */
const MAX_PRIORITY = 1_000_000;

/** Those that decide first come first: high priority, then strict action. Defaults decide after all others. */
export function inOrder(policies: readonly Policy[]): Policy[] {
  return [...policies].sort(
    (one, other) =>
      Number(one.is_default) - Number(other.is_default) ||
      other.priority - one.priority ||
      ACTIONS.indexOf(other.action) - ACTIONS.indexOf(one.action),
  );
}

export function moved<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const order = [...items];
  order.splice(to, 0, ...order.splice(from, 1));
  return order;
}

/**
 * The policies whose priority has to change for `order` to hold, with the new one. That is the policy at
 * `at` alone where there is room between its neighbours, else as many as it takes.
 */
export function reprioritized(order: readonly Policy[], at: number): Policy[] {
  const between = priorityBetween(order[at - 1]?.priority, order[at + 1]?.priority);
  const moved = order[at];
  if (moved && between !== undefined) return [{ ...moved, priority: between }];
  return order
    .map((policy, index) => ({ ...policy, priority: (order.length - index) * STEP }))
    .filter(({ priority }, index) => priority !== order[index]?.priority);
}

/** The priority of a policy that is to decide before all of these. */
export function topPriority(policies: readonly Policy[]): number {
  const highest = Math.max(0, ...policies.map(({ priority }) => priority));
  return Math.min(highest + STEP, MAX_PRIORITY);
}

function priorityBetween(above: number | undefined, below: number | undefined): number | undefined {
  const wanted =
    above === undefined
      ? (below ?? 0) + STEP
      : below === undefined
        ? above - STEP
        : Math.floor((above + below) / 2);
  const fits = (above === undefined || wanted < above) && (below === undefined || wanted > below);
  return fits && Math.abs(wanted) <= MAX_PRIORITY ? wanted : undefined;
}

/** The fields of a policy that can be set. */
export function draftOf({ name, description, priority, action, conditions, is_default, restore }: Policy): PolicyDraft {
  const draft = { name, description, priority, action, conditions, is_default };
  return restore === undefined ? draft : { ...draft, restore };
}
