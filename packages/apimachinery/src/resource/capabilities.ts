import type { ResourceDefinition } from "./definition.ts";

/** What the generic server does for the objects of a resource; custom resources lack all of it. */
export interface ResourceCapabilities {
  /** Requests, responses and stored objects may be protobuf. */
  readonly protobuf: boolean;
  /** Strategic merge patches: the schema has their list keys and strategies. */
  readonly strategicMergePatch: boolean;
  /** Server-side defaults for `kind` and `apiVersion` of bodies; otherwise both are required. */
  readonly optionalTypeMeta: boolean;
  /** Lists are written like typed ones: items without `kind` and `apiVersion`, and `continue` only if it is set. */
  readonly typedLists: boolean;
  /** Finalizers without a domain must be standard ones. */
  readonly standardFinalizers: boolean;
  /** Discovery sorts the verbs; otherwise it keeps the definition's order. */
  readonly sortedVerbs: boolean;
  /** Paths of the resource's group that lead nowhere get a Status; otherwise a plain text page. */
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
