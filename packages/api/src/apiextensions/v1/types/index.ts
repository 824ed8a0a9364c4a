export * from "./common.ts";
export * from "./conversion-review.ts";
export * from "./custom-resource-definition.ts";
