import type { StorageVersion } from "@orchernetes/api/apiserverinternal/v1alpha1";
import type { Stored } from "@orchernetes/apimachinery";
import { storageVersionStatus } from "@orchernetes/component-helpers";
import { noPlan, type Plan } from "@orchernetes/controller";

/** A StorageVersion, and the servers in it that have an identity lease. */
export interface GcState {
  readonly storageVersion: Stored<StorageVersion>;
  readonly live: ReadonlySet<string>;
}

/** What is done about records of servers that are gone. */
export type GcAction =
  | { readonly type: "Delete" }
  | { readonly type: "UpdateStatus"; readonly storageVersion: Stored<StorageVersion> };

/** Removes the records of servers that are gone; deletes a StorageVersion that has no other. Pure. */
export function reconcile({ storageVersion, live }: GcState, now: Date): Plan<GcAction> {
  const servers = storageVersion.status.storageVersions ?? [];
  const kept = servers.filter(({ apiServerID = "" }) => live.has(apiServerID));
  if (kept.length === servers.length) return noPlan;
  if (kept.length === 0) return { actions: [{ type: "Delete" }] };
  const { generation } = storageVersion.metadata;
  const status = storageVersionStatus(storageVersion.status, kept, { generation, now });
  return { actions: [{ type: "UpdateStatus", storageVersion: { ...storageVersion, status } }] };
}
