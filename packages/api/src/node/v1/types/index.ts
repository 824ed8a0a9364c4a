export * from "./runtime-class.ts";
