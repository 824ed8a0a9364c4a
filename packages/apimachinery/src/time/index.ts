export * from "./clock.ts";
export * from "./duration.ts";
export * from "./fake-clock.ts";
export * from "./time.ts";
