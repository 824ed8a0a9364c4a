export * from "./cluster-trust-bundle.ts";
export * from "./resources.ts";
export * from "./types/index.ts";
