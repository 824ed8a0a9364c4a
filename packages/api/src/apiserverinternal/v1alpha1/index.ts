export * from "./resources.ts";
export * from "./storage-version.ts";
export * from "./types/index.ts";
