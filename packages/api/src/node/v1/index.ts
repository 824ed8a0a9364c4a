export * from "./resources.ts";
export * from "./runtime-class.ts";
export * from "./types/index.ts";
