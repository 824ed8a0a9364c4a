import {
  defineResource,
  enumeration,
  type FieldError,
  type FieldPath,
  field,
  type Infer,
  int64,
  isDns1035Label,
  isDns1123Subdomain,
  isQualifiedName,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  openEnumeration,
  optional,
  pointer,
  required,
  string,
  time,
  value,
} from "@orchernetes/apimachinery";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs, subresourceVerbs } from "../../shared/definitions.ts";
import { keep, keepMetadata } from "../../shared/drafts.ts";
import { report } from "../../shared/report.ts";

const pkg = "apiserverinternal/v1alpha1";

/**
 * The versions in which the API servers of a cluster store a resource and which they can decode. Its name is
 * `<group>.<resource>`.
 *
 * Source: KEP-2339.
 */
export const StorageVersion = object(pkg, "StorageVersion", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, StorageVersionSpec),
  status: required(3, StorageVersionStatus),
}));
export interface StorageVersion extends Infer<typeof StorageVersion> {}

/** Has no fields. */
export const StorageVersionSpec = message(pkg, "StorageVersionSpec", () => ({}));
export interface StorageVersionSpec extends Infer<typeof StorageVersionSpec> {}

/** What the API servers report about a resource. */
export const StorageVersionStatus = message(pkg, "StorageVersionStatus", () => ({
  storageVersions: optional(1, list(ServerStorageVersion), { list: "map", keys: ["apiServerID"] }),
  commonEncodingVersion: pointer(2, string),
  conditions: optional(3, list(StorageVersionCondition), { list: "map", keys: ["type"] }),
}));
export interface StorageVersionStatus extends Infer<typeof StorageVersionStatus> {}

/** What one API server reports about a resource. */
export const ServerStorageVersion = message(pkg, "ServerStorageVersion", () => ({
  apiServerID: optional(1, string),
  encodingVersion: optional(2, string),
  decodableVersions: optional(3, list(string), { list: "set" }),
}));
export interface ServerStorageVersion extends Infer<typeof ServerStorageVersion> {}

/** One aspect of the state. */
export const StorageVersionCondition = message(pkg, "StorageVersionCondition", () => ({
  type: required(1, enumeration("AllEncodingVersionsEqual")),
  status: required(2, openEnumeration("True", "False", "Unknown")),
  observedGeneration: optional(3, int64),
  lastTransitionTime: required(4, time),
  reason: required(5, string),
  message: required(6, string),
}));
export interface StorageVersionCondition extends Infer<typeof StorageVersionCondition> {}

export const StorageVersionList = object(pkg, "StorageVersionList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(StorageVersion)),
}));
export interface StorageVersionList extends Infer<typeof StorageVersionList> {}

/** Errors of the name of a storage version, `group.resource`. */
function storageVersionNameErrors(name: string): readonly string[] {
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

/** Validates the report of one server: it must be able to decode what it writes. */
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
    // The paths of Kubernetes 1.27, without the name of the list.
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

/** Validates the storage versions that the servers report. */
function validateStorageVersionStatus({ status }: StorageVersion): FieldError[] {
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

/** `internal.apiserver.o8s.io/v1alpha1` storage versions: the versions in which the API servers store a resource. */
export const storageVersions = defineResource<StorageVersion>({
  group: "internal.apiserver.o8s.io",
  version: "v1alpha1",
  kind: "StorageVersion",
  plural: "storageversions",
  singular: "storageversion",
  scope: "Cluster",
  verbs: allVerbs,
  schema: StorageVersion,
  storagePrefix: "/registry/storageversions",
  strategy: {
    nameFormat: storageVersionNameErrors,
    prepareForCreate: (object) => {
      object.status = {};
    },
    validate: validateStorageVersionStatus,
    prepareForUpdate: (object, old) => keep(object, old, "status"),
    validateUpdate: validateStorageVersionStatus,
    allowUnconditionalUpdate: false,
  },
  columns: [
    name(),
    column("CommonEncodingVersion", "string", "Version that all servers store, if they agree.", ({ status }) => {
      return status.commonEncodingVersion ?? "<unset>";
    }),
    column("StorageVersions", "string", "Version that each server stores.", ({ status }) => {
      const servers = status.storageVersions ?? [];
      return servers.length === 0
        ? "<unset>"
        : servers.map(({ apiServerID = "", encodingVersion = "" }) => `${apiServerID}=${encodingVersion}`).join(",");
    }),
    age(),
  ],
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (object, old) => {
          keep(object, old, "spec");
          keepMetadata(object, old);
        },
        validateUpdate: validateStorageVersionStatus,
      },
    },
  },
});
