import {
  controllerOf,
  controllerRef,
  hasNamespaceTerminatingCause,
  isAlreadyExists,
  isNotFound,
  keyOf,
} from "@orchernetes/apimachinery";
import { referenceTo } from "@orchernetes/client";
import {
  type ActionHandlers,
  controllerIndex,
  follow,
  followDependents,
  inOrder,
  ownerIndexers,
} from "@orchernetes/controller";
import { messageOf } from "@orchernetes/kernel";
import { defineController, type ManagerContext } from "../../shared/define-controller.ts";
import { cronJobs as cronJobsRef, jobs as jobsRef } from "../../shared/refs.ts";
import type { Job } from "../job/job-pods.ts";
import {
  type CronJob,
  type CronJobAction,
  type CronJobState,
  jobName,
  lastScheduleTime,
  reconcile,
} from "./reconcile.ts";

type Context = Pick<ManagerContext, "client" | "recorder">;

/**
 * Starts the jobs of each CronJob on schedule, and deletes old ones. Each sync schedules the next one for the next
 * scheduled time, so there is no polling. Missed times, for example while no manager was running, are made up for once,
 * unless their deadline has passed.
 */
export const cronJobController = defineController({
  name: "cronjob",
  serviceAccount: "cronjob-controller",
  settings: ({ document }) => ({ workers: document.CronJobController.ConcurrentCronJobSyncs }),
  build(shell, { workers }) {
    const queue = shell.queue("cronjob");
    const cronJobs = shell.informer(cronJobsRef);
    const jobs = shell.informer(jobsRef, ownerIndexers);
    follow(cronJobs, queue);
    followDependents({ owners: cronJobs, dependents: jobs, enqueue: (cronJob) => queue.add(keyOf(cronJob)) });
    shell.loop({
      queue,
      workers,
      async gather(key): Promise<CronJobState | undefined> {
        const cronJob = cronJobs.lister.byKey(key);
        if (cronJob === undefined) return undefined;
        const cached = jobs.lister.byIndex(controllerIndex, cronJob.metadata.uid);
        // A lagging watch must not make a job look missing: with concurrency policy Forbid, a second one would start
        // beside it.
        return { cronJob, jobs: [...cached, ...(await uncachedJobs(shell.context, cronJob, cached))] };
      },
      reconcile,
      carryOut: inOrder<CronJobAction, CronJobState>(actionsOf(shell.context)),
    });
  },
});

/** Jobs listed as active in the status that are missing from the cache, read from the server. */
async function uncachedJobs({ client }: Context, cronJob: CronJob, cached: readonly Job[]): Promise<readonly Job[]> {
  const found: Job[] = [];
  for (const { name = "", uid } of cronJob.status?.active ?? []) {
    if (cached.some(({ metadata }) => metadata.uid === uid)) continue;
    try {
      const job = await client
        .resource(jobsRef)
        .namespace(cronJob.metadata.namespace ?? "")
        .get(name);
      if (job.metadata.uid === uid) found.push(job);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
  return found;
}

/** The handlers of the actions. The messages of events are the original's. */
function actionsOf(context: Context): ActionHandlers<CronJobAction, CronJobState> {
  const { client, recorder } = context;
  return {
    Event: ({ of, reason, message }, { cronJob }) =>
      recorder.event(referenceTo(cronJobsRef, cronJob), of, reason, message),
    UpdateStatus: async ({ cronJob }) => void (await client.resource(cronJobsRef).updateStatus(cronJob)),
    async StartJob({ cronJob, scheduledAt }) {
      const job = await createJob(context, cronJob, scheduledAt);
      if (job === undefined) return;
      const { name, namespace, uid, resourceVersion } = job.metadata;
      const reference = { kind: "Job", apiVersion: "batch/v1", namespace, name, uid, resourceVersion };
      const active = [...(cronJob.status?.active ?? []).filter((ref) => ref.uid !== uid), reference];
      const status = { ...cronJob.status, active, lastScheduleTime: lastScheduleTime(scheduledAt) };
      await client.resource(cronJobsRef).updateStatus({ ...cronJob, status });
    },
    async DeleteJob({ job }, { cronJob }) {
      const reference = referenceTo(cronJobsRef, cronJob);
      const { name, namespace = "", uid } = job.metadata;
      try {
        const options = { propagationPolicy: "Background", preconditions: { uid } } as const;
        await client.resource(jobsRef).namespace(namespace).delete(name, options);
        recorder.event(reference, "Normal", "SuccessfulDelete", `Deleted job ${name}`);
      } catch (error) {
        if (isNotFound(error)) return;
        recorder.event(reference, "Warning", "FailedDelete", `Deleted job: ${messageOf(error)}`);
        throw error;
      }
    },
  };
}

/**
 * Creates the job for a scheduled time, or finds the one that was created before; undefined if its namespace is being
 * deleted.
 */
async function createJob(context: Context, cronJob: CronJob, scheduledAt: Date): Promise<Job | undefined> {
  const { client, recorder } = context;
  const { namespace = "" } = cronJob.metadata;
  const reference = referenceTo(cronJobsRef, cronJob);
  const resource = client.resource(jobsRef).namespace(namespace);
  const { metadata, spec } = cronJob.spec.jobTemplate;
  const name = jobName(cronJob, scheduledAt);
  try {
    const job = await resource.create({
      metadata: {
        name,
        namespace,
        ...(metadata?.labels === undefined ? {} : { labels: metadata.labels }),
        ...(metadata?.annotations === undefined ? {} : { annotations: metadata.annotations }),
        ownerReferences: [controllerRef(cronJobsRef, cronJob)],
      },
      spec,
    });
    recorder.event(reference, "Normal", "SuccessfulCreate", `Created job ${name}`);
    return job;
  } catch (error) {
    if (hasNamespaceTerminatingCause(error)) return undefined;
    if (!isAlreadyExists(error)) {
      recorder.event(reference, "Warning", "FailedCreate", `Error creating job: ${messageOf(error)}`);
      throw error;
    }
    // An earlier attempt created the job, but failed to record it in the status.
    const job = await resource.get(name);
    if (controllerOf(job)?.uid !== cronJob.metadata.uid) throw error;
    return job;
  }
}
