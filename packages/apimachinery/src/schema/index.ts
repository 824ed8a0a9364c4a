export * from "./build.ts";
export * from "./documentation.ts";
export * from "./schema.ts";
