export * from "./resources.ts";
export * from "./self-subject-review.ts";
export * from "./types/index.ts";
