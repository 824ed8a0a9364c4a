export * from "./resources.ts";
export * from "./storage-class.ts";
export * from "./types/index.ts";
