export { type ApiStage, betaOnByDefault, knownVersions, stageOf } from "./group-versions.ts";
export { loadOptionalResources } from "./optional-resources.ts";
export { type ApiEnablement, parseRuntimeConfig, type RuntimeConfigResult } from "./runtime-config.ts";
export { cautions, type ServedResources, servedResources } from "./served-resources.ts";
