export * from "./definition.ts";
export * from "./definition-name.ts";
