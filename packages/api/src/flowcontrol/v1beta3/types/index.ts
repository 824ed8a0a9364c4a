export * from "./flow-schema.ts";
export * from "./priority-level-configuration.ts";
