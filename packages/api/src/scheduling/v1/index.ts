export * from "./priority-class.ts";
export * from "./resources.ts";
export * from "./types/index.ts";
