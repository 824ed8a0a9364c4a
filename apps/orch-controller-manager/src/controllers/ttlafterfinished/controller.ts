import { isNotFound } from "@orchernetes/apimachinery";
import { flagSection } from "@orchernetes/component";
import { follow, inOrder, type Plan } from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { jobs as jobsRef } from "../../shared/refs.ts";
import type { Job } from "../job/job-pods.ts";
import { expiresInMs } from "./reconcile.ts";

type ExpireJob = { readonly type: "ExpireJob" };

/** Deletes a finished job whose time to live has passed; otherwise requeues it for that time. Pure. */
function reconcile(job: Job, now: Date): Plan<ExpireJob> {
  const leftMs = expiresInMs(job, now);
  if (leftMs === undefined) return { actions: [] };
  return leftMs > 0 ? { actions: [], requeueAfterMs: leftMs } : { actions: [{ type: "ExpireJob" }] };
}

/**
 * Deletes finished jobs after their time to live (KEP-592). The job is read again first: its time to live may have been
 * extended.
 */
export const ttlAfterFinishedController = defineController({
  name: "ttl-after-finished",
  serviceAccount: "ttl-after-finished-controller",
  flags: flagSection("TTL after finished controller", {
    "concurrent-ttl-after-finished-syncs": {
      field: "TTLAfterFinishedController.ConcurrentTTLSyncs",
      type: "int",
      default: 5,
      min: 1,
      help: "Number of finished jobs that are synced concurrently.",
    },
  }),
  settings: ({ document }) => ({ workers: document.TTLAfterFinishedController.ConcurrentTTLSyncs }),
  build(shell, settings) {
    const { client, clock } = shell.context;
    const queue = shell.queue("ttl_jobs_to_delete");
    const jobs = shell.informer(jobsRef);
    follow(jobs, queue);
    shell.loop({
      queue,
      workers: settings.workers,
      gather: (key): Job | undefined => jobs.lister.byKey(key),
      reconcile,
      carryOut: inOrder<ExpireJob, Job>({
        async ExpireJob(_, { metadata }) {
          const resource = client.resource(jobsRef).namespace(metadata.namespace ?? "");
          try {
            // The time to live may have just been changed.
            const fresh = await resource.get(metadata.name);
            const leftMs = expiresInMs(fresh, clock.now());
            if (leftMs === undefined || leftMs > 0) return leftMs;
            const { name, uid } = fresh.metadata;
            await resource.delete(name, { propagationPolicy: "Foreground", preconditions: { uid } });
          } catch (error) {
            if (!isNotFound(error)) throw error;
          }
          return undefined;
        },
      }),
    });
  },
});
