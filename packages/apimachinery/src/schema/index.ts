export * from "./build.ts";
export * from "./schema.ts";
