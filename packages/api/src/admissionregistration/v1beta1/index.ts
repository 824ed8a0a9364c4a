export * from "./resources.ts";
export * from "./types/index.ts";
export * from "./validating-admission-policy.ts";
export * from "./validating-admission-policy-binding.ts";
