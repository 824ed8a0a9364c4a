export * from "./common.ts";
export * from "./horizontal-pod-autoscaler.ts";
export * from "./scale.ts";
