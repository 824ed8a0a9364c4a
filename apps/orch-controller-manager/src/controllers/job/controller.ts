import {
  controllerOf,
  isInvalid,
  isNotFound,
  keyOf,
  labelSelectorAsSelector,
  type OwnerReference,
} from "@orchernetes/apimachinery";
import { type Client, referenceTo } from "@orchernetes/client";
import {
  allSettled,
  controllerIndex,
  createExpected,
  deleteExpected,
  follow,
  followDependents,
  inOrder,
  ownerIndexers,
  type Plan,
} from "@orchernetes/controller";
import { defineController } from "../../shared/define-controller.ts";
import { createPodControl } from "../../shared/pod-control.ts";
import { jobs as jobsRef, pods as podsRef } from "../../shared/refs.ts";
import { isTracked, type Job, jobPod, type Pod, trackingFinalizer } from "./job-pods.ts";
import { type JobAction, type JobState, reconcile } from "./reconcile.ts";

/** Delay after a pod event. Pods often end together, so one sync handles several of them. */
const podBatchMs = 100;

const selectorOf = ({ spec }: Job) => labelSelectorAsSelector(spec.selector);

/**
 * Runs the pods of each Job until enough of them have succeeded. Pods have a finalizer until they are counted
 * (KEP-2307), so none is lost. If a job is deleted, a second queue removes the finalizers of its pods.
 */
export const jobController = defineController({
  name: "job",
  serviceAccount: "job-controller",
  settings: ({ document }) => ({ workers: document.JobController.ConcurrentJobSyncs }),
  build(shell, { workers }) {
    const { client, recorder } = shell.context;
    const queue = shell.queue("job");
    const orphanQueue = shell.queue("job_orphan_pod");
    const expectations = shell.expectations();
    const control = createPodControl(client, recorder);
    const jobs = shell.informer(jobsRef);
    const pods = shell.informer(podsRef, ownerIndexers);
    const ownerless = (pod: Pod): void => {
      if (isTracked(pod)) orphanQueue.add(keyOf(pod));
    };
    follow(jobs, queue, { expectations });
    followDependents({
      owners: jobs,
      dependents: pods,
      expectations,
      selectorOf,
      enqueue: (job, pod) => queue.addAfter(keyOf(job), controllerOf(pod) === undefined ? 0 : podBatchMs),
      ownerless,
    });
    jobs.addHandler({
      onDelete: ({ metadata }) => pods.lister.byIndex(controllerIndex, metadata.uid).forEach(ownerless),
    });

    /** @param version fails with a conflict if the pod has another one by now */
    const release = async ({ metadata: { name, namespace = "", uid } }: Pod, version?: string): Promise<void> => {
      const metadata = { uid, ...(version === undefined ? {} : { resourceVersion: version }) };
      const patch = { metadata: { ...metadata, "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] } };
      const patching = client.resource(podsRef).namespace(namespace).patch(name, patch, { type: "strategic" });
      // Invalid means that another pod has the name: the uid does not match.
      await patching.catch((error: unknown) => {
        if (!isNotFound(error) && !isInvalid(error)) throw error;
      });
    };

    shell.ownerLoop({
      queue,
      workers,
      owners: jobs,
      selectorOf,
      expectations,
      dependents: { pods: { informer: pods, finalizers: [trackingFinalizer] } },
      gather: ({ owner: job, owned, settled }): JobState => ({ job, pods: owned.pods, settled }),
      reconcile,
      carryOut: inOrder<JobAction, JobState>({
        UpdateStatus: async ({ job }) => void (await client.resource(jobsRef).updateStatus(job)),
        Event: ({ of, reason, message }, { job }) => recorder.event(referenceTo(jobsRef, job), of, reason, message),
        Release: (action) => allSettled(action.pods.map((pod) => release(pod))),
        CreatePods: ({ indexes }, { job }, key) =>
          createExpected(expectations, key, indexes.length, (i) =>
            control.create(jobPod(job, indexes[i]), job.metadata.namespace ?? "", referenceTo(jobsRef, job)),
          ),
        DeletePods({ pods: doomed, counted }, { job }, key) {
          const remove = (pod: Pod) => control.delete(pod, referenceTo(jobsRef, job));
          // The pods of a finished job are deleted regardless of the caches; keep the expectations for pending
          // creations.
          if (counted) return allSettled(doomed.map(remove));
          return deleteExpected(expectations, key, doomed, async (pod) => {
            // A pod that has succeeded since must be counted: its work would be done a second time.
            await release(pod, pod.metadata.resourceVersion);
            return remove(pod);
          });
        },
      }),
    });
    const isKnown = (pod: Pod, ref: OwnerReference): boolean =>
      jobs.lister.get(pod.metadata.namespace ?? "", ref.name)?.metadata.uid === ref.uid;
    shell.loop({
      name: "job-orphan-pod",
      queue: orphanQueue,
      workers: 1,
      gather: (key) => orphanOf(client, pods.lister.byKey(key), isKnown),
      reconcile: (pod): Plan<Pod> => ({ actions: [pod] }),
      carryOut: (released) => allSettled(released.map((pod) => release(pod))),
    });
  },
});

/** The pod, if only the finalizer of a deleted job keeps it. The server is asked, because the cache may lag. */
async function orphanOf(
  client: Client,
  pod: Pod | undefined,
  isKnown: (pod: Pod, ref: OwnerReference) => boolean,
): Promise<Pod | undefined> {
  const ref = pod && controllerOf(pod);
  if (pod === undefined || ref?.kind !== "Job" || !isTracked(pod)) return undefined;
  // The job exists. The pod is checked again at its next change.
  if (isKnown(pod, ref)) return undefined;
  const resource = client.resource(jobsRef).namespace(pod.metadata.namespace ?? "");
  const owner = await resource.get(ref.name).catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
  return owner?.metadata.uid === ref.uid ? undefined : pod;
}
