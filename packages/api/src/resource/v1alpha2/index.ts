export * from "./pod-scheduling-context.ts";
export * from "./resource-claim.ts";
export * from "./resource-claim-template.ts";
export * from "./resource-class.ts";
export * from "./resources.ts";
export * from "./types/index.ts";
