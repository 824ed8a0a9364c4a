import type {
  ServerStorageVersion,
  StorageVersionCondition,
  StorageVersionStatus,
} from "@orchernetes/api/apiserverinternal/v1alpha1";
import { formatTime } from "@orchernetes/apimachinery";
import { findCondition, withCondition } from "../conditions/conditions.ts";

const TYPE = "AllEncodingVersionsEqual";

/** The version that all servers store; undefined if they differ or there are none. */
function commonVersionOf(servers: readonly ServerStorageVersion[]): string | undefined {
  const [first, ...rest] = servers.map(({ encodingVersion = "" }) => encodingVersion);
  return rest.every((version) => version === first) ? first : undefined;
}

/**
 * The status of a StorageVersion once these are its servers: with their common version, and the condition that says whether there
 * is one. The condition's time changes with its status and with the common version.
 *
 * @param generation `metadata.generation` of the object
 */
export function storageVersionStatus(
  old: StorageVersionStatus,
  servers: readonly ServerStorageVersion[],
  { generation, now }: { readonly generation: number | undefined; readonly now: Date },
): StorageVersionStatus {
  const { commonEncodingVersion: before, ...rest } = old;
  const common = commonVersionOf(servers);
  const condition: StorageVersionCondition = {
    type: TYPE,
    status: common === undefined ? "False" : "True",
    ...(generation !== undefined && { observedGeneration: generation }),
    lastTransitionTime: formatTime(now),
    reason: common === undefined ? "CommonEncodingVersionUnset" : "CommonEncodingVersionSet",
    message: common === undefined ? "Common encoding version unset" : "Common encoding version set",
  };
  const moved = before !== undefined && common !== undefined && before !== common;
  const known = findCondition(old.conditions, TYPE);
  const conditions = moved
    ? (old.conditions ?? []).map((one) => (one === known ? condition : one))
    : withCondition(old.conditions, condition);
  return {
    ...rest,
    storageVersions: servers,
    ...(common !== undefined && { commonEncodingVersion: common }),
    conditions,
  };
}

/** The servers of a StorageVersion once one of them reports: its record is replaced, or added at the end. */
export function withServer(
  servers: readonly ServerStorageVersion[],
  server: ServerStorageVersion,
): readonly ServerStorageVersion[] {
  const isOwn = ({ apiServerID }: ServerStorageVersion): boolean => apiServerID === server.apiServerID;
  return servers.some(isOwn) ? servers.map((one) => (isOwn(one) ? server : one)) : [...servers, server];
}
