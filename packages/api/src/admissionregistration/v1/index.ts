export * from "./mutating-webhook-configuration.ts";
export * from "./resources.ts";
export * from "./types/index.ts";
export * from "./validating-webhook-configuration.ts";
