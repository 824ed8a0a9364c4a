export * from "./api-service.ts";
export * from "./resources.ts";
export * from "./types/index.ts";
