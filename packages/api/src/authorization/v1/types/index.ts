export * from "./common.ts";
export * from "./local-subject-access-review.ts";
export * from "./self-subject-access-review.ts";
export * from "./self-subject-rules-review.ts";
export * from "./subject-access-review.ts";
