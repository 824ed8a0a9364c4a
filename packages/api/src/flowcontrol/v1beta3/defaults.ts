import type { Draft } from "@orchernetes/apimachinery";
import type { FlowSchemaSpec, LimitResponse, PriorityLevelConfiguration } from "./types.ts";

/** Shares of a limited level that names none. */
export const defaultShares = 30;

/** Defaults of a flow schema's spec: a middle place in the order. */
export function defaultFlowSchemaSpec(spec: Draft<Pick<FlowSchemaSpec, "matchingPrecedence">>): void {
  spec.matchingPrecedence ||= 1000;
}

/** Defaults of how a level treats what it cannot serve at once. */
export function defaultLimitResponse({ type, queuing }: Draft<LimitResponse>): void {
  if (type === "Queue" && queuing !== undefined) {
    queuing.queues ||= 64;
    queuing.handSize ||= 8;
    queuing.queueLengthLimit ||= 50;
  }
}

/** Defaults of a PriorityLevelConfiguration. */
export function defaultPriorityLevel({ spec: { limited } }: Draft<PriorityLevelConfiguration>): void {
  if (limited !== undefined) {
    limited.nominalConcurrencyShares ||= defaultShares;
    limited.lendablePercent ??= 0;
    defaultLimitResponse(limited.limitResponse);
  }
}
