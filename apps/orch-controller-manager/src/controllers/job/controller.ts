import { type ApiObject, isInvalid, isNotFound, keyOf, labelSelectorAsSelector } from "@orchernetes/apimachinery";
import { referenceTo } from "@orchernetes/client";
import {
  carryOutClaims,
  controllerOf,
  Expectations,
  planClaims,
  runWorkers,
  slowStartBatch,
  sooner,
  WorkQueue,
} from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import { createPodControl } from "../../shared/pod-control.ts";
import { jobs as jobsRef, pods as podsRef } from "../../shared/refs.ts";
import { controllerIndex, orphanIndex, podIndexers } from "../replicaset/pod-index.ts";
import { isTracked, type Job, jobPod, type Pod, trackingFinalizer } from "./job-pods.ts";
import { type JobAction, reconcile } from "./reconcile.ts";

/** Runs the pods of each Job until enough of them have succeeded. */
export const jobController: ControllerDescriptor = {
  name: "job",
  serviceAccount: "job-controller",
  enabledByDefault: true,
  start: run,
};

const workers = 5;
/** Pods end in groups: a little patience saves rounds. */
const podBatchMs = 100;
/** Keys of pods whose job is gone; `:` is in no name. */
const orphanPrefix = "pod:";

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, logger, recorder, signal } = context;
  const queue = new WorkQueue({ name: "job", clock, metrics: context.queueMetrics });
  const expectations = new Expectations(clock);
  const control = createPodControl(client, recorder);
  const jobs = context.informers.informer(jobsRef);
  const pods = context.informers.informer(podsRef, podIndexers);

  const ownerOf = (pod: Pod): Job | undefined => {
    const ref = controllerOf(pod);
    if (ref?.kind !== "Job") return undefined;
    const job = jobs.lister.get(pod.metadata.namespace ?? "", ref.name);
    return job?.metadata.uid === ref.uid ? job : undefined;
  };
  const enqueue = (job: ApiObject): void => queue.add(keyOf(job));
  const podChanged = (pod: Pod): void => {
    const ref = controllerOf(pod);
    if (ref === undefined) {
      for (const job of jobs.lister.list(pod.metadata.namespace ?? "")) {
        if (labelSelectorAsSelector(job.spec.selector).matches(pod.metadata.labels)) enqueue(job);
      }
      return;
    }
    const job = ownerOf(pod);
    if (job !== undefined) queue.addAfter(keyOf(job), podBatchMs);
    else if (ref.kind === "Job" && isTracked(pod)) queue.add(`${orphanPrefix}${keyOf(pod)}`);
  };
  const podGone = (pod: Pod): void => {
    const job = ownerOf(pod);
    if (job !== undefined) expectations.deletionObserved(keyOf(job), pod.metadata.uid);
    podChanged(pod);
  };
  jobs.addHandler({
    onAdd: enqueue,
    onUpdate: (_, job) => enqueue(job),
    onDelete(job) {
      expectations.delete(keyOf(job));
      for (const pod of pods.lister.byIndex(controllerIndex, job.metadata.uid)) podChanged(pod);
    },
  });
  pods.addHandler({
    onAdd(pod) {
      const job = ownerOf(pod);
      if (job !== undefined) expectations.creationObserved(keyOf(job));
      if (pod.metadata.deletionTimestamp === undefined) podChanged(pod);
      else podGone(pod);
    },
    onUpdate(old, pod) {
      if (controllerOf(old)?.uid !== controllerOf(pod)?.uid) podChanged(old);
      if (pod.metadata.deletionTimestamp === undefined) podChanged(pod);
      else podGone(pod);
    },
    onDelete: podGone,
  });

  const release = async ({ metadata: { name, namespace = "", uid } }: Pod): Promise<void> => {
    const patch = { metadata: { uid, "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] } };
    const patching = client.resource(podsRef).namespace(namespace).patch(name, patch, { type: "strategic" });
    // Invalid: another pod of that name.
    await patching.catch((error: unknown) => {
      if (!isNotFound(error) && !isInvalid(error)) throw error;
    });
  };
  const all = async (work: readonly Promise<void>[]): Promise<void> => {
    const failed = (await Promise.allSettled(work)).find((result) => result.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  };
  const act = async (action: JobAction, job: Job, key: string): Promise<void> => {
    const reference = referenceTo(jobsRef, job);
    switch (action.type) {
      case "UpdateStatus":
        await client.resource(jobsRef).updateStatus(action.job);
        return;
      case "Event":
        recorder.event(reference, action.of, action.reason, action.message);
        return;
      case "Release":
        return all(action.pods.map(release));
      case "CreatePods": {
        const { indexes } = action;
        expectations.expectCreations(key, indexes.length);
        const { skipped, error } = await slowStartBatch(indexes.length, async (i) => {
          try {
            await control.create(jobPod(job, indexes[i]), reference);
          } catch (failure) {
            expectations.creationObserved(key);
            throw failure;
          }
        });
        expectations.creationObserved(key, skipped);
        if (error !== undefined) throw error;
        return;
      }
      case "DeletePods": {
        // The pods of a finished job are deleted regardless of the caches; keep the expectations for pending creations.
        if (!action.counted) {
          expectations.expectDeletions(
            key,
            action.pods.map(({ metadata }) => metadata.uid),
          );
        }
        return all(
          action.pods.map(async (pod) => {
            try {
              if (!action.counted) await release(pod);
              await control.delete(pod, reference);
            } catch (failure) {
              expectations.deletionObserved(key, pod.metadata.uid);
              throw failure;
            }
          }),
        );
      }
    }
  };

  const releaseOrphan = async (key: string): Promise<undefined> => {
    const pod = pods.lister.byKey(key);
    // The job may merely be newer than its cache; then it is found when the pod changes next.
    if (pod === undefined || !isTracked(pod) || ownerOf(pod) !== undefined) return undefined;
    const ref = controllerOf(pod);
    if (ref === undefined) return undefined;
    const { namespace = "" } = pod.metadata;
    const owner = await client
      .resource(jobsRef)
      .namespace(namespace)
      .get(ref.name)
      .catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
    if (owner?.metadata.uid !== ref.uid) await release(pod);
    return undefined;
  };

  const sync = async (key: string): Promise<number | undefined> => {
    if (key.startsWith(orphanPrefix)) return releaseOrphan(key.slice(orphanPrefix.length));
    const job = jobs.lister.byKey(key);
    if (job === undefined) {
      expectations.delete(key);
      return undefined;
    }
    const settled = expectations.satisfied(key);
    const candidates = [
      ...pods.lister.byIndex(controllerIndex, job.metadata.uid),
      ...pods.lister.byIndex(orphanIndex, job.metadata.namespace ?? ""),
    ];
    const claims = planClaims(job, labelSelectorAsSelector(job.spec.selector), candidates);
    const mine = await carryOutClaims(claims, {
      client,
      ownerRef: jobsRef,
      owner: job,
      ref: podsRef,
      finalizers: [trackingFinalizer],
    });
    const { actions, requeueAfterMs } = reconcile({ job, pods: mine, settled }, clock.now());
    for (const action of actions) await act(action, job, key);
    return sooner(requeueAfterMs, expectations.expiresInMs(key));
  };

  await Promise.all([jobs.waitForSync(signal), pods.waitForSync(signal)]);
  await runWorkers({ name: "job", queue, workers, sync, signal, logger, clock });
}
