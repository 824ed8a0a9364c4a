export * from "./pod-disruption-budget.ts";
export * from "./resources.ts";
export * from "./types/index.ts";
