export * from "./duration.ts";
export * from "./time.ts";
