/**
 * Every kind of the API, in a folder for each group and version, with a file for each kind:
 *
 * - the types, as schemas (`message`, `object`) from which the TypeScript types are inferred; a schema has the protobuf
 *   field numbers, and decides about canonical form, patches and ownership of fields;
 * - `applyDefaults`, which sets the values that clients may leave out;
 * - the strategy: what the server sets or keeps before a write (`prepareForCreate`, `prepareForUpdate`), and
 *   validation;
 * - the columns of tables and the fields that can be selected;
 * - `defineResource`, which puts these together; the API server serves what is in the list of resources and knows no
 *   kind by name.
 *
 * Functions are pure and synchronous. Validation returns a list of errors and never throws for invalid objects, so that
 * a client gets all errors at once; paths and texts are those of Kubernetes 1.27, as clients compare them.
 *
 * Versions that are disabled by default are not exported here, so that they cost nothing until they are enabled:
 * `loadOptionalResources` imports them, and programs that need their types import `@orchernetes/api/group/version`.
 *
 * @example
 * ```ts
 * import { core } from "@orchernetes/api";
 *
 * const spec = { containers: [{ name: "web", image: "nginx", resources: {} }] };
 * const pod: core.Pod = { kind: "Pod", apiVersion: "v1", metadata: { name: "web" }, spec, status: {} };
 * ```
 *
 * @module
 */

export * as admissionregistration from "./admissionregistration/v1/index.ts";
export * as apiextensions from "./apiextensions/v1/index.ts";
export * as apiregistration from "./apiregistration/v1/index.ts";
export * as apps from "./apps/v1/index.ts";
export * as authentication from "./authentication/v1/index.ts";
export * as authorization from "./authorization/v1/index.ts";
export * as autoscaling from "./autoscaling/v1/index.ts";
export * as autoscalingV2 from "./autoscaling/v2/index.ts";
export * as batch from "./batch/v1/index.ts";
export * as certificates from "./certificates/v1/index.ts";
export * as coordination from "./coordination/v1/index.ts";
export * as core from "./core/v1/index.ts";
export * as discovery from "./discovery/v1/index.ts";
export { type ApiStage, betaOnByDefault, knownVersions, stageOf } from "./enablement/group-versions.ts";
export { loadOptionalResources } from "./enablement/optional-resources.ts";
export { type ApiEnablement, parseRuntimeConfig, type RuntimeConfigResult } from "./enablement/runtime-config.ts";
export { cautions, type ServedResources, servedResources } from "./enablement/served-resources.ts";
export * as events from "./events/v1/index.ts";
export { type DisabledFields, disabledFields } from "./feature-gates/disabled-fields.ts";
export * as flowcontrolV1beta2 from "./flowcontrol/v1beta2/index.ts";
export * as flowcontrolV1beta3 from "./flowcontrol/v1beta3/index.ts";
export * as networking from "./networking/v1/index.ts";
export * as node from "./node/v1/index.ts";
export * as policy from "./policy/v1/index.ts";
export * as rbac from "./rbac/v1/index.ts";
export * from "./resources.ts";
export * as scheduling from "./scheduling/v1/index.ts";
export * as storage from "./storage/v1/index.ts";
