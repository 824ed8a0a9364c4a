import { type ApiObject, isNotFound, keyOf } from "@orchernetes/apimachinery";
import { runWorkers, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import { jobs as jobsRef } from "../../shared/refs.ts";
import { expiresInMs } from "./reconcile.ts";

/** Deletes finished jobs when their time is over. */
export const ttlAfterFinishedController: ControllerDescriptor = {
  name: "ttl-after-finished",
  serviceAccount: "ttl-after-finished-controller",
  enabledByDefault: true,
  start: run,
};

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, logger, signal } = context;
  const queue = new WorkQueue({ name: "ttl_jobs_to_delete", clock, metrics: context.queueMetrics });
  const jobs = context.informers.informer(jobsRef);
  const enqueue = (job: ApiObject): void => queue.add(keyOf(job));
  jobs.addHandler({ onAdd: enqueue, onUpdate: (_, job) => enqueue(job) });

  const sync = async (key: string): Promise<number | undefined> => {
    const cached = jobs.lister.byKey(key);
    const leftMs = cached && expiresInMs(cached, clock.now());
    if (cached === undefined || leftMs === undefined || leftMs > 0) return leftMs;
    const resource = client.resource(jobsRef).namespace(cached.metadata.namespace ?? "");
    try {
      // The time to live may have been changed a moment ago.
      const fresh = await resource.get(cached.metadata.name);
      const freshMs = expiresInMs(fresh, clock.now());
      if (freshMs === undefined || freshMs > 0) return freshMs;
      const { name, uid } = fresh.metadata;
      await resource.delete(name, { propagationPolicy: "Foreground", preconditions: { uid } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return undefined;
  };

  await jobs.waitForSync(signal);
  const workers = context.config.concurrentTtlAfterFinishedSyncs;
  await runWorkers({ name: "ttl-after-finished", queue, workers, sync, signal, logger, clock });
}
