import type { ResourceDefinition } from "./definition.ts";

/** Features of the generic server for the objects of a resource; custom resources have none of them. */
export interface ResourceCapabilities {
  /** Requests, responses and stored objects may be protobuf. */
  readonly protobuf: boolean;
  /** Whether strategic merge patches are accepted: the schema has list keys and strategies. */
  readonly strategicMergePatch: boolean;
  /** Whether `kind` and `apiVersion` of bodies may be omitted. */
  readonly optionalTypeMeta: boolean;
  /** Whether lists have items without `kind` and `apiVersion`, and `continue` only if it is set. */
  readonly typedLists: boolean;
  /** Whether finalizers without a domain must be standard ones. */
  readonly standardFinalizers: boolean;
  /** Whether discovery sorts the verbs; otherwise it keeps the definition's order. */
  readonly sortedVerbs: boolean;
  /** Whether the response for unknown paths of the resource's group is a Status; otherwise it is plain text. */
  readonly statusForUnknownPaths: boolean;
}

/** Capabilities of resources that are compiled into the server. */
export const builtInCapabilities: ResourceCapabilities = Object.freeze({
  protobuf: true,
  strategicMergePatch: true,
  optionalTypeMeta: true,
  typedLists: true,
  standardFinalizers: true,
  sortedVerbs: true,
  statusForUnknownPaths: true,
});

/** Capabilities of resources that a CustomResourceDefinition declares. */
export const customResourceCapabilities: ResourceCapabilities = Object.freeze({
  protobuf: false,
  strategicMergePatch: false,
  optionalTypeMeta: false,
  typedLists: false,
  standardFinalizers: false,
  sortedVerbs: false,
  statusForUnknownPaths: false,
});

/** Capabilities of a resource. */
export function capabilitiesOf({ capabilities }: Pick<ResourceDefinition, "capabilities">): ResourceCapabilities {
  return capabilities ?? builtInCapabilities;
}
