import type { batch, core } from "@orchernetes/api";
import { controllerRef, type Stored } from "@orchernetes/apimachinery";
import { type NewPod, podFromTemplate } from "@orchernetes/controller";
import { jobs } from "../../shared/refs.ts";

/** A Job as the API server returns it. */
export type Job = Stored<batch.Job>;
/** A Pod as the API server returns it. */
export type Pod = Stored<core.Pod>;

/** Finalizer that keeps a job's pod until it has been counted (KEP-2307). */
export const trackingFinalizer = "batch.orchernetes.io/job-tracking";
const indexAnnotation = "batch.orchernetes.io/job-completion-index";
const indexVariable = "JOB_COMPLETION_INDEX";

/** Whether the pod still has the finalizer, so it has not been released. */
export const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(trackingFinalizer) === true;
/** Whether the pods of the job have completion indexes. */
export const isIndexed = ({ spec }: Job): boolean => spec.completionMode === "Indexed";

/** The completion index of a pod; undefined if it has none. */
export function indexOf({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[indexAnnotation];
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** The pod for a completion index, or any pod of a job without indexes. */
export function jobPod(job: Job, index: number | undefined): NewPod {
  const pod = podFromTemplate(job.spec.template, job, controllerRef(jobs, job));
  const finalizers = [
    ...(pod.metadata.finalizers ?? []).filter((name) => name !== trackingFinalizer),
    trackingFinalizer,
  ];
  if (index === undefined) return { ...pod, metadata: { ...pod.metadata, finalizers } };
  const { name } = job.metadata;
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      generateName: `${name}-${index}-`,
      annotations: { ...pod.metadata.annotations, [indexAnnotation]: String(index) },
      finalizers,
    },
    spec: {
      ...pod.spec,
      hostname: `${name}-${index}`,
      containers: pod.spec.containers.map(withIndex),
      ...(pod.spec.initContainers === undefined ? {} : { initContainers: pod.spec.initContainers.map(withIndex) }),
    },
  };
}

/** Adds the index to the environment of a container, unless the template sets the variable itself. */
function withIndex(container: core.Container): core.Container {
  const env = container.env ?? [];
  if (env.some(({ name }) => name === indexVariable)) return container;
  const fieldRef = { fieldPath: `metadata.annotations['${indexAnnotation}']` };
  return { ...container, env: [...env, { name: indexVariable, valueFrom: { fieldRef } }] };
}
