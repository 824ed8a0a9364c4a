export * from "./flow-schema.ts";
export * from "./mandatory.ts";
export * from "./priority-level-configuration.ts";
export * from "./resources.ts";
export * from "./types/index.ts";
