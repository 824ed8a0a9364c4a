import { isActive, type JobFacts, type PodFacts } from "../facts/facts.ts";
import { type Change, type PodChange, podChange, type Replay } from "../history/replay.ts";
import { finding, isCreated, largest, type Rule } from "./rule.ts";

/** The pods of a Job that have ended and that the Job must count. */
interface Ended {
  readonly succeeded: Set<string>;
  readonly failed: Set<string>;
  readonly indexes: Set<number>;
}

/**
 * A Job never has more active pods than `parallelism`, nor more than are missing, no two of an index and none of an index that is
 * completed. Every pod that ends is counted once: the status never names more than there are, nor takes any back, and the Job
 * completes with exactly `completions`.
 */
export function jobRule(): Rule {
  const endedOf = new Map<string, Ended>();
  return (change, state) => {
    const pods = podChange(change);
    const uid = pods?.pod.owner ?? (change.after ?? change.before)?.uid ?? "";
    const job = pods === undefined ? change.after : state.get(uid);
    if (job?.kind !== "Job") return [];
    const ended = endedOf.get(uid) ?? { succeeded: new Set(), failed: new Set(), indexes: new Set() };
    endedOf.set(uid, ended);
    if (pods === undefined) return finding(change, statusError(change, job, ended));
    const twice = note(pods, job, ended);
    return finding(change, isCreated(pods) ? creationError(pods.pod, job, ended, state) : twice);
  };
}

/** Notes the end of a pod; returns what is wrong with it. A pod without the finalizer was given up before, and does not count. */
function note({ before, after, pod }: PodChange, job: JobFacts, ended: Ended): string | undefined {
  if (before === undefined || !before.tracked) return undefined;
  if (after === undefined) {
    const counted = ended.succeeded.has(pod.uid) || ended.failed.has(pod.uid);
    return counted ? undefined : `removed with its finalizer, but not counted by ${job.name}`;
  }
  if (after.phase === "Failed" || (after.terminating && after.phase !== "Succeeded")) ended.failed.add(pod.uid);
  if (after.phase !== "Succeeded" || ended.succeeded.has(pod.uid)) return undefined;
  ended.succeeded.add(pod.uid);
  if (pod.index === undefined) return undefined;
  const twice = ended.indexes.has(pod.index);
  ended.indexes.add(pod.index);
  return twice ? `completes index ${pod.index} of ${job.name} a second time` : undefined;
}

function creationError(pod: PodFacts, job: JobFacts, ended: Ended, state: Replay): string | undefined {
  if (job.finished !== undefined) return `created for ${job.name}, which is ${job.finished}`;
  const active = state.podsOf(job.uid).filter(isActive);
  const limit = largest(state.windowOf(job).map(({ parallelism }) => parallelism));
  if (active.length > limit)
    return `created as one of ${active.length} active pods of ${job.name}; parallelism is ${limit}`;
  const done = job.indexed ? ended.indexes.size : ended.succeeded.size;
  if (active.length + done > job.completions)
    return `created as one of ${active.length} active pods of ${job.name}, which has completed ${done} of ${job.completions}`;
  if (!job.indexed) return undefined;
  const { index } = pod;
  if (index === undefined || index >= job.completions) return `created with index ${index} of ${job.completions}`;
  if (ended.indexes.has(index)) return `created for index ${index} of ${job.name}, which is completed`;
  if (active.some((other) => other.uid !== pod.uid && other.index === index))
    return `created as second active pod of index ${index} of ${job.name}`;
  return undefined;
}

function statusError({ before }: Change, job: JobFacts, ended: Ended): string | undefined {
  const old = before?.kind === "Job" ? before : undefined;
  const counted = countOf(job, "succeeded");
  if (job.indexed) {
    const indexes = new Set(job.completedIndexes);
    if (indexes.size !== job.completedIndexes.length)
      return `completedIndexes names one twice: ${job.completedIndexes}`;
    if (job.succeeded !== indexes.size) return `succeeded is ${job.succeeded} with ${indexes.size} completed indexes`;
    const wrong = job.completedIndexes.find((index) => !ended.indexes.has(index));
    if (wrong !== undefined) return `index ${wrong} is completed, but no pod of it has succeeded`;
    const forgotten = old?.completedIndexes.find((index) => !indexes.has(index));
    if (forgotten !== undefined) return `index ${forgotten} is no longer completed`;
  } else if (counted > ended.succeeded.size) {
    return `counts ${counted} pods that succeeded, of ${ended.succeeded.size}`;
  }
  const failed = countOf(job, "failed");
  if (failed > ended.failed.size) return `counts ${failed} pods that failed, of ${ended.failed.size}`;
  if (old !== undefined && (counted < countOf(old, "succeeded") || failed < countOf(old, "failed")))
    return `counts fewer ended pods than before: ${counted} succeeded, ${failed} failed`;
  if (old?.finished !== undefined && job.finished !== old.finished) return `is no longer ${old.finished}`;
  if (job.finished === "Complete" && counted !== job.completions)
    return `is Complete with ${counted} of ${job.completions} completions`;
  if (job.finished === "Failed" && failed <= job.backoffLimit)
    return `has Failed with ${failed} failed pods; backoffLimit is ${job.backoffLimit}`;
  return undefined;
}

/** The pods that a status counts, with those that it has only named until now. */
const countOf = (job: JobFacts, which: "succeeded" | "failed"): number => job[which] + job.uncounted[which].length;
