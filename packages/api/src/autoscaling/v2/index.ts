export * from "./horizontal-pod-autoscaler.ts";
export * from "./resources.ts";
export * from "./types/index.ts";
