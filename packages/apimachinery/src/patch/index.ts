export * from "./json-patch.ts";
export { canonicalText, cloneJson, equalJson, isObject, type JsonObject } from "./json-value.ts";
export { applyMergePatch } from "./merge-patch.ts";
export { applyStrategicMergePatch } from "./strategic-merge-patch.ts";
