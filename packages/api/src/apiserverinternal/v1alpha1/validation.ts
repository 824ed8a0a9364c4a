import {
  type FieldError,
  type FieldPath,
  field,
  isDns1035Label,
  isDns1123Subdomain,
  isQualifiedName,
} from "@orchernetes/apimachinery";
import { report } from "../../shared/report.ts";
import type { ServerStorageVersion, StorageVersion, StorageVersionCondition } from "./types/storage-version.ts";

/** What is wrong with the name of a storage version, `group.resource`. */
export function storageVersionNameErrors(name: string): readonly string[] {
  const at = name.lastIndexOf(".");
  if (at < 0) return ["name must be in the form of <group>.<resource>"];
  return [
    ...isDns1123Subdomain(name.slice(0, at)).map((message) => `the group segment ${message}`),
    ...isDns1035Label(name.slice(at + 1)).map((message) => `the resource segment ${message}`),
  ];
}

const empty = "must be non-empty";

function apiVersionErrors(text: string): readonly string[] {
  const [first = "", second, ...more] = text.split("/");
  const version = second ?? first;
  if (more.length > 0)
    return ["an apiVersion is a version with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')"];
  const messages: string[] = [];
  if (second !== undefined) {
    if (first === "") messages.push(`group part: ${empty}`);
    else messages.push(...isDns1123Subdomain(first).map((message) => `group part: ${message}`));
  }
  if (version === "") messages.push(`version part: ${empty}`);
  else messages.push(...isDns1035Label(version).map((message) => `version part: ${message}`));
  return messages;
}

function validateServer(server: ServerStorageVersion, path: FieldPath, errors: FieldError[]): void {
  const { apiServerID = "", encodingVersion = "", decodableVersions = [] } = server;
  report(errors, isDns1123Subdomain(apiServerID), path, "apiServerID", apiServerID);
  const messages = apiVersionErrors(encodingVersion);
  if (messages.length > 0)
    errors.push(field.invalid(path.child("encodingVersion"), encodingVersion, messages.join(",")));
  const at = path.child("decodableVersions");
  for (const [i, version] of decodableVersions.entries()) {
    const wrong = apiVersionErrors(version);
    if (wrong.length > 0) errors.push(field.invalid(at.index(i), version, wrong.join(",")));
  }
  if (!decodableVersions.includes(encodingVersion)) {
    const detail = `decodableVersions must include encodingVersion ${encodingVersion}`;
    errors.push(field.invalid(at, decodableVersions, detail));
  }
}

/** The version that all servers write; undefined when they differ or there are none. */
function commonVersion(servers: readonly ServerStorageVersion[]): string | undefined {
  const [first, ...rest] = servers.map(({ encodingVersion = "" }) => encodingVersion);
  return rest.every((version) => version === first) ? first : undefined;
}

function validateConditions(
  conditions: readonly StorageVersionCondition[],
  path: FieldPath,
  errors: FieldError[],
): void {
  const seen = new Map<string, number>();
  for (const [i, { type, status, reason, message }] of conditions.entries()) {
    // Clients know these causes without the name of the list.
    const at = path.index(i);
    const before = seen.get(type);
    if (before !== undefined) {
      const detail = `the type of the condition is not unique, it also appears in conditions[${before}]`;
      errors.push(field.invalid(at.child("type"), type, detail));
    }
    seen.set(type, i);
    report(errors, isQualifiedName(type), at, "type", type);
    report(errors, isQualifiedName(status), at, "status", status);
    if (reason === "") errors.push(field.required(at.child("reason"), "reason cannot be empty"));
    if (message === "") errors.push(field.required(at.child("message"), "message cannot be empty"));
  }
}

/** Error list of what the servers say they store. */
export function validateStorageVersionStatus({ status }: StorageVersion): FieldError[] {
  const path = field("status");
  const errors: FieldError[] = [];
  const servers = status.storageVersions ?? [];
  const ids = new Set<string>();
  for (const [i, server] of servers.entries()) {
    const at = path.child("storageVersions").index(i);
    const id = server.apiServerID ?? "";
    if (ids.has(id)) errors.push(field.duplicate(at.child("apiServerID"), id));
    ids.add(id);
    validateServer(server, at, errors);
  }
  const common = commonVersion(servers);
  const at = path.child("commonEncodingVersion");
  const stated = status.commonEncodingVersion;
  if (common === undefined && stated !== undefined) {
    const detail =
      "should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet";
    errors.push(field.invalid(at, stated, detail));
  } else if (common !== undefined && stated !== common) {
    const word = stated === undefined ? "the common encoding version is" : "the actual common encoding version is";
    errors.push(field.invalid(at, stated, `${word} ${common}`));
  }
  validateConditions(status.conditions ?? [], path, errors);
  return errors;
}
