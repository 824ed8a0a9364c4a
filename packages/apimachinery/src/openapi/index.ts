export * from "./definition.ts";
export * from "./definition-name.ts";
export * from "./texts.ts";
