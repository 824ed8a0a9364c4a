export * from "./resources.ts";
export * from "./token-request.ts";
export * from "./token-review.ts";
export * from "./types/index.ts";
