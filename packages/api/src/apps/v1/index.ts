export * from "./controller-revision.ts";
export * from "./daemon-set.ts";
export * from "./deployment.ts";
export * from "./replica-set.ts";
export * from "./resources.ts";
export * from "./stateful-set.ts";
export * from "./types/index.ts";
