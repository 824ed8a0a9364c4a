/**
 * The building blocks of controllers: the work queue, the shell that runs a controller's loops, the expectations that guard
 * against stale caches, and the adoption and release of owned objects.
 *
 * A controller is a pure function `reconcile(state, now)` that returns a {@link Plan}, and a declaration of where its keys, its
 * state and its effects are. {@link runController} starts it: the informers sync first, then its preparations run, then all loops
 * and tasks run together until the signal aborts. Controllers that own objects use {@link ControllerShell.ownerLoop}, which also
 * adopts orphans, counts expectations and writes the status.
 *
 * @example
 * ```ts
 * import { batch } from "@orchernetes/api";
 * import { type ControllerContext, follow, inOrder, noPlan, runController } from "@orchernetes/controller";
 *
 * type Delete = { readonly type: "Delete" };
 * const isFinished = ({ status }: batch.Job): boolean => status?.completionTime !== undefined;
 *
 * // Deletes jobs that have finished.
 * const run = (context: ControllerContext): Promise<void> =>
 *   runController("finished-jobs", context, (shell) => {
 *     const jobs = shell.informer(batch.jobs);
 *     const queue = shell.queue("finished_jobs");
 *     follow(jobs, queue);
 *     shell.loop({
 *       queue,
 *       workers: 5,
 *       gather: (key) => jobs.lister.byKey(key),
 *       reconcile: (job) => (isFinished(job) ? { actions: [{ type: "Delete" }] } : noPlan),
 *       carryOut: inOrder<Delete, batch.Job>({
 *         Delete: async (_, { metadata: { namespace = "", name = "" } }) => {
 *           await context.client.resource(batch.jobs).namespace(namespace).delete(name);
 *           return undefined;
 *         },
 *       }),
 *     });
 *   });
 * ```
 *
 * @module
 */

export * from "./manager/controller-descriptor.ts";
export * from "./manager/run-managed-controllers.ts";
export * from "./manager/select-controllers.ts";
export * from "./ownership/carry-out-claims.ts";
export * from "./ownership/claims.ts";
export * from "./ownership/owner-index.ts";
export * from "./pods/pod-ranking.ts";
export * from "./pods/pod-template.ts";
export * from "./queue/queue-metrics.ts";
export * from "./queue/rate-limit.ts";
export * from "./queue/work-queue.ts";
export * from "./shell/awaited-generations.ts";
export * from "./shell/controller.ts";
export * from "./shell/expectations.ts";
export * from "./shell/expected-writes.ts";
export * from "./shell/follow.ts";
export { type ActionHandlers, type ActionOutcome, inOrder, type Loop, type RunOptions } from "./shell/loop.ts";
export type { Dependents, Found, OwnerLoop } from "./shell/owner-loop.ts";
export * from "./shell/plan.ts";
export * from "./shell/slow-start.ts";
