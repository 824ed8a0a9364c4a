export * from "./common.ts";
export * from "./validating-admission-policy.ts";
export * from "./validating-admission-policy-binding.ts";
