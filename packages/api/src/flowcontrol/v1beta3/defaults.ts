import type { Draft } from "@orchernetes/apimachinery";
import type { FlowSchemaSpec, LimitResponse, PriorityLevelConfiguration } from "./types.ts";

/** Default shares of a limited level. */
export const defaultShares = 30;

/** Sets the defaults of a flow schema: the precedence is from 1, which is tried first, to 10000. */
export function defaultFlowSchemaSpec(spec: Draft<Pick<FlowSchemaSpec, "matchingPrecedence">>): void {
  spec.matchingPrecedence ||= 1000;
}

/** Sets the defaults of the queues of a level: with 64 queues and a hand of 8, two heavy flows rarely share all of theirs (KEP-1040). */
export function defaultLimitResponse({ type, queuing }: Draft<LimitResponse>): void {
  if (type === "Queue" && queuing !== undefined) {
    queuing.queues ||= 64;
    queuing.handSize ||= 8;
    queuing.queueLengthLimit ||= 50;
  }
}

/** Sets the defaults of a PriorityLevelConfiguration. */
export function defaultPriorityLevel({ spec: { limited } }: Draft<PriorityLevelConfiguration>): void {
  if (limited !== undefined) {
    limited.nominalConcurrencyShares ||= defaultShares;
    limited.lendablePercent ??= 0;
    defaultLimitResponse(limited.limitResponse);
  }
}
