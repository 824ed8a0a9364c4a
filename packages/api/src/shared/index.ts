/** @module What several kinds share: pod templates, resource lists, number and path checks, table columns, equality. */

export { humanDuration } from "@orchernetes/apimachinery";
export { defaultPodSpec, defaultPodTemplateSpec } from "../core/v1/defaults/pod-spec.ts";
export { validatePodSpec } from "../core/v1/validation/pod-spec.ts";
export { validatePodTemplateSpec } from "../core/v1/validation/pod-template.ts";
export * from "./columns.ts";
export * from "./context.ts";
export * from "./differences.ts";
export * from "./drafts.ts";
export * from "./immutable.ts";
export * from "./numbers.ts";
export * from "./paths.ts";
export * from "./repeated.ts";
export * from "./report.ts";
export * from "./resource-lists.ts";
export * from "./verbs.ts";
