import { isDeepStrictEqual } from "node:util";
import type { apiregistration } from "@orchernetes/api";
import type { GroupVersion } from "@orchernetes/apiserver";
import { apiServiceName } from "./api-service-table.ts";
import { defaultRank } from "./group-ranks.ts";

type APIService = apiregistration.APIService;

/** Label of APIServices that the server manages: permanently (`true`) or only when it starts (`onstart`). */
export const automanagedLabel = "orch-aggregator.orchernetes.io/automanaged";

/** Values of {@link automanagedLabel}. */
export type Automanaged = "true" | "onstart";

/** The state by which an action is decided. */
export interface AutoregistrationState {
  /** The APIService that should exist; undefined if this server does not serve the group version. */
  readonly desired: APIService | undefined;
  /** The stored APIService; undefined if there is none. */
  readonly current: APIService | undefined;
  /** Whether it was stored when the server started. */
  readonly presentAtStart: boolean;
  /** Whether it has been synced since the server started. */
  readonly synced: boolean;
}

/** What to do to the stored APIService. */
export type AutoregistrationAction =
  | { readonly type: "none" }
  | { readonly type: "create"; readonly object: APIService }
  | { readonly type: "update"; readonly spec: APIService["spec"] }
  | { readonly type: "delete" };

/** Returns the APIService of a group version that this server serves itself, with the rank that it has by default. */
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
 * Decides what to do to an APIService. Built-in group versions are registered when the server starts; users may change or delete their
 * APIServices until the next start. APIServices of custom resources are kept in sync permanently. An APIService without the label belongs to
 * a user and is left alone. Pure.
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
