export * from "./api-error.ts";
export * from "./errors.ts";
export * from "./field.ts";
export * from "./field-error.ts";
export * from "./go-value.ts";
export * from "./predicates.ts";
export * from "./reason.ts";
export * from "./status.ts";
