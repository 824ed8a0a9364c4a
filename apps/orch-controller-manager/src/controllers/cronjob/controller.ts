import {
  type ApiObject,
  hasNamespaceTerminatingCause,
  isAlreadyExists,
  isNotFound,
  keyOf,
} from "@orchernetes/apimachinery";
import { byControllerUid, referenceTo } from "@orchernetes/client";
import { controllerOf, controllerRef, runController, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
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

/** Starts jobs on schedule. */
export const cronJobController: ControllerDescriptor = {
  name: "cronjob",
  serviceAccount: "cronjob-controller",
  enabledByDefault: true,
  start: run,
};

const workers = 5;
const controllerIndex = "controllerUid";

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, logger, recorder, signal } = context;
  const queue = new WorkQueue({ name: "cronjob", clock, metrics: context.queueMetrics });
  const cronJobs = context.informers.informer(cronJobsRef);
  const jobs = context.informers.informer(jobsRef, { [controllerIndex]: byControllerUid });
  const enqueue = (cronJob: ApiObject): void => queue.add(keyOf(cronJob));
  const jobChanged = (job: Job): void => {
    const ref = controllerOf(job);
    if (ref?.kind !== "CronJob") return;
    const cronJob = cronJobs.lister.get(job.metadata.namespace ?? "", ref.name);
    if (cronJob?.metadata.uid === ref.uid) enqueue(cronJob);
  };
  cronJobs.addHandler({ onAdd: enqueue, onUpdate: (_, cronJob) => enqueue(cronJob) });
  jobs.addHandler({ onAdd: jobChanged, onUpdate: (_, job) => jobChanged(job), onDelete: jobChanged });

  const start = async (cronJob: CronJob, scheduledAt: Date): Promise<void> => {
    const { namespace = "" } = cronJob.metadata;
    const reference = referenceTo(cronJobsRef, cronJob);
    const resource = client.resource(jobsRef).namespace(namespace);
    const { metadata, spec } = cronJob.spec.jobTemplate;
    const name = jobName(cronJob, scheduledAt);
    let job: Job;
    try {
      job = await resource.create({
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
    } catch (error) {
      if (hasNamespaceTerminatingCause(error)) return;
      if (!isAlreadyExists(error)) {
        const message = `Error creating job: ${error instanceof Error ? error.message : error}`;
        recorder.event(reference, "Warning", "FailedCreate", message);
        throw error;
      }
      // Made by an earlier attempt that did not get to note it.
      job = await resource.get(name);
      if (controllerOf(job)?.uid !== cronJob.metadata.uid) throw error;
    }
    const { uid, resourceVersion } = job.metadata;
    const noted = { kind: "Job", apiVersion: "batch/v1", namespace, name, uid, resourceVersion };
    const active = [...(cronJob.status?.active ?? []).filter((ref) => ref.uid !== uid), noted];
    const status = { ...cronJob.status, active, lastScheduleTime: lastScheduleTime(scheduledAt) };
    await client.resource(cronJobsRef).updateStatus({ ...cronJob, status });
  };

  /** Jobs listed as active in the status that are missing from the cache, read from the server. */
  const uncachedJobs = async (cronJob: CronJob, cached: readonly Job[]): Promise<readonly Job[]> => {
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
  };

  const act = async (action: CronJobAction, cronJob: CronJob): Promise<void> => {
    const reference = referenceTo(cronJobsRef, cronJob);
    switch (action.type) {
      case "Event":
        recorder.event(reference, action.of, action.reason, action.message);
        return;
      case "UpdateStatus":
        await client.resource(cronJobsRef).updateStatus(action.cronJob);
        return;
      case "StartJob":
        return start(action.cronJob, action.scheduledAt);
      case "DeleteJob": {
        const { name, namespace = "", uid } = action.job.metadata;
        try {
          const options = { propagationPolicy: "Background", preconditions: { uid } } as const;
          await client.resource(jobsRef).namespace(namespace).delete(name, options);
          recorder.event(reference, "Normal", "SuccessfulDelete", `Deleted job ${name}`);
        } catch (error) {
          if (isNotFound(error)) return;
          const message = `Deleted job: ${error instanceof Error ? error.message : error}`;
          recorder.event(reference, "Warning", "FailedDelete", message);
          throw error;
        }
      }
    }
  };

  await Promise.all([cronJobs.waitForSync(signal), jobs.waitForSync(signal)]);
  await runController<CronJobState, CronJobAction>(
    {
      name: "cronjob",
      queue,
      workers,
      async gather(key) {
        const cronJob = cronJobs.lister.byKey(key);
        if (cronJob === undefined) return undefined;
        const cached = jobs.lister.byIndex(controllerIndex, cronJob.metadata.uid);
        // A slow watch must not make a job look missing: with Forbid a second one would start beside it.
        return { cronJob, jobs: [...cached, ...(await uncachedJobs(cronJob, cached))] };
      },
      reconcile,
      async carryOut(actions, { cronJob }) {
        for (const action of actions) await act(action, cronJob);
      },
    },
    { signal, logger, clock },
  );
}
