export * from "./definition.ts";
export * from "./object.ts";
export * from "./object-meta.ts";
export * from "./strategy.ts";
