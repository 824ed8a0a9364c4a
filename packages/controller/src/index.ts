/**
 * What controllers are made of: a work queue, the shell that turns keys into decisions and carries them out, what they expect
 * of their caches, and how they own objects.
 *
 * @example
 * ```ts
 * await runController("ttl-after-finished", context, (shell) => {
 *   const jobs = shell.informer(jobsRef);
 *   const queue = shell.queue("ttl_jobs_to_delete");
 *   follow(jobs, queue);
 *   shell.loop({
 *     queue,
 *     workers: 5,
 *     gather: (key) => jobs.lister.byKey(key),
 *     reconcile: (job, now) => (isExpired(job, now) ? { actions: [{ type: "Delete" }] } : noPlan),
 *     carryOut: inOrder<Delete, Job>({ Delete: (_, job) => remove(job) }),
 *   });
 * });
 * ```
 *
 * @module
 */

export * from "./ownership/carry-out-claims.ts";
export * from "./ownership/claims.ts";
export * from "./ownership/owner-index.ts";
export * from "./pods/pod-ranking.ts";
export * from "./pods/pod-template.ts";
export * from "./queue/queue-metrics.ts";
export * from "./queue/rate-limit.ts";
export * from "./queue/work-queue.ts";
export * from "./shell/controller.ts";
export * from "./shell/expectations.ts";
export * from "./shell/expected-writes.ts";
export * from "./shell/follow.ts";
export { type ActionHandlers, type ActionOutcome, inOrder, type Loop, type RunOptions } from "./shell/loop.ts";
export type { Dependents, Found, OwnerLoop } from "./shell/owner-loop.ts";
export * from "./shell/plan.ts";
export * from "./shell/slow-start.ts";
