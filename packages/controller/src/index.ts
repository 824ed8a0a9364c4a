/**
 * @module What controllers are made of: a work queue, the shell that turns keys into decisions and decisions into deeds, what
 * they expect of their caches, and how they own objects.
 */

export * from "./ownership/carry-out-claims.ts";
export * from "./ownership/claims.ts";
export * from "./ownership/controller-ref.ts";
export * from "./pods/pod-ranking.ts";
export * from "./pods/pod-state.ts";
export * from "./pods/pod-template.ts";
export * from "./queue/queue-metrics.ts";
export * from "./queue/rate-limit.ts";
export * from "./queue/work-queue.ts";
export * from "./shell/expectations.ts";
export * from "./shell/plan.ts";
export * from "./shell/run-controller.ts";
export * from "./shell/slow-start.ts";
