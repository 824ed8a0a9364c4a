export * from "./common.ts";
export * from "./mutating-webhook-configuration.ts";
export * from "./validating-webhook-configuration.ts";
