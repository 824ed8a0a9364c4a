export * from "./endpoint-slice.ts";
export * from "./resources.ts";
export * from "./types/index.ts";
