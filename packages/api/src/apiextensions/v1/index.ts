export * from "./conversion-review.ts";
export * from "./custom-resource-definition.ts";
