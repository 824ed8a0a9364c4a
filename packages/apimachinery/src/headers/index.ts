export * from "./header-values.ts";
