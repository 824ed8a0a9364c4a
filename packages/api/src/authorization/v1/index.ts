export * from "./local-subject-access-review.ts";
export * from "./resources.ts";
export * from "./self-subject-access-review.ts";
export * from "./self-subject-rules-review.ts";
export * from "./subject-access-review.ts";
export * from "./types/index.ts";
