export * from "./token-request.ts";
export * from "./token-review.ts";
