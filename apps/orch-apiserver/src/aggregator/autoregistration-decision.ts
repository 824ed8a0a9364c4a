import { isDeepStrictEqual } from "node:util";
import type { apiregistration } from "@orchernetes/api";
import type { GroupVersion } from "@orchernetes/apiserver";
import { apiServiceName } from "./api-service-table.ts";
import { defaultRank } from "./group-ranks.ts";

type APIService = apiregistration.APIService;

/** Says that the server keeps an APIService: always (`true`) or as it is at the start (`onstart`). */
export const automanagedLabel = "orch-aggregator.orchernetes.io/automanaged";

/** When the server looks after an APIService. */
export type Automanaged = "true" | "onstart";

/** What is known when an APIService is looked at. */
export interface AutoregistrationState {
  /** What there should be; undefined: nothing that the server wants. */
  readonly desired: APIService | undefined;
  /** What is stored. */
  readonly current: APIService | undefined;
  /** Whether it was stored when the server started. */
  readonly presentAtStart: boolean;
  /** Whether it was brought into order since the server started. */
  readonly synced: boolean;
}

/** What to do about it. */
export type AutoregistrationAction =
  | { readonly type: "none" }
  | { readonly type: "create"; readonly object: APIService }
  | { readonly type: "update"; readonly spec: APIService["spec"] }
  | { readonly type: "delete" };

/** The APIService of a group version that this server serves itself. */
export function localApiService(target: GroupVersion, automanaged: Automanaged): APIService {
  const { group, version } = target;
  const rank = defaultRank(group, version);
  return {
    metadata: { name: apiServiceName(target), labels: { [automanagedLabel]: automanaged } },
    spec: { group, version, groupPriorityMinimum: rank.group, versionPriority: rank.version },
    status: {},
  };
}

const none: AutoregistrationAction = { type: "none" };

/**
 * Built-in group versions are registered once, at the start: deletions and changes of their APIServices by users are not reverted
 * until the next one. Those of custom resources are kept in step. What carries no label is someone else's.
 */
export function decideAutoregistration(state: AutoregistrationState): AutoregistrationAction {
  const { desired, current, presentAtStart, synced } = state;
  const wanted = desired?.metadata.labels?.[automanagedLabel];
  if (wanted === "onstart" && synced) return none;
  if (current === undefined) return desired === undefined ? none : { type: "create", object: desired };
  const managed = current.metadata.labels?.[automanagedLabel];
  if (managed !== "true" && managed !== "onstart") return none;
  if (managed === "onstart" && (!presentAtStart || synced)) return none;
  if (desired === undefined) return { type: "delete" };
  return isDeepStrictEqual(current.spec, desired.spec) ? none : { type: "update", spec: desired.spec };
}
