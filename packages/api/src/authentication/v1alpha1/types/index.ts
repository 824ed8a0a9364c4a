export * from "./self-subject-review.ts";
