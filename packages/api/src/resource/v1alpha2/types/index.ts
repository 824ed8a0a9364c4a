export * from "./pod-scheduling-context.ts";
export * from "./resource-claim.ts";
export * from "./resource-claim-template.ts";
export * from "./resource-class.ts";
