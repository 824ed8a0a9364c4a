export * from "./lease.ts";
export * from "./resources.ts";
export * from "./types/index.ts";
