import type { ReplicaSet } from "./rollout.ts";

type Annotations = Readonly<Record<string, string>>;

/** Number of the template's revision, on the Deployment and on its ReplicaSets. */
const revisionAnnotation = "deployment.orchernetes.io/revision";
/** The same number under the name that clients of the original read for `rollout history` and `rollout undo`. */
const revisionAliasAnnotation = "deployment.kubernetes.io/revision";
/** Earlier revisions of a ReplicaSet that became the current one again, comma separated. */
const revisionHistoryAnnotation = "deployment.orchernetes.io/revision-history";
/**
 * `spec.replicas` of the Deployment when the ReplicaSet was last scaled. A different value now means that the user has
 * scaled it.
 */
export const desiredReplicasAnnotation = "deployment.orchernetes.io/desired-replicas";
/** Desired replicas plus surge at that time: the base of proportional scaling. */
export const maxReplicasAnnotation = "deployment.orchernetes.io/max-replicas";

/** Maximum length of the history annotation in characters. As in the original. */
const maxHistoryLength = 2000;

/** Annotations of a Deployment that are not copied to its ReplicaSets. */
const notCopied: ReadonlySet<string> = new Set([
  "orchctl.orchernetes.io/last-applied-configuration",
  "kubectl.kubernetes.io/last-applied-configuration",
  "deprecated.deployment.rollback.to",
  revisionAnnotation,
  revisionAliasAnnotation,
  revisionHistoryAnnotation,
  desiredReplicasAnnotation,
  maxReplicasAnnotation,
]);

const maxRevisionNumber = 2n ** 63n - 1n;

/** The revision number in annotations, a 64-bit integer; 0 if there is none. */
export function revisionOf(annotations: Annotations | undefined): bigint {
  const text = annotations?.[revisionAnnotation] ?? annotations?.[revisionAliasAnnotation] ?? "";
  const revision = /^\d{1,19}$/.test(text) ? BigInt(text) : 0n;
  return revision > maxRevisionNumber ? 0n : revision;
}

/** Annotations with both names of the revision. */
export function withRevision(annotations: Annotations | undefined, revision: bigint): Annotations {
  return { ...annotations, [revisionAnnotation]: String(revision), [revisionAliasAnnotation]: String(revision) };
}

/** A whole number in an annotation; undefined when there is none. */
export function countAnnotation(annotations: Annotations | undefined, name: string): number | undefined {
  const text = annotations?.[name];
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/**
 * The annotations of the current ReplicaSet: those of the Deployment, and the revision. A ReplicaSet that becomes
 * current again (rollback) gets a new number and keeps the old one in its history.
 */
export function newReplicaSetAnnotations(
  deployment: Annotations | undefined,
  replicaSet: Annotations | undefined,
  newRevision: bigint,
): Annotations {
  const result: Record<string, string> = { ...replicaSet };
  for (const [key, value] of Object.entries(deployment ?? {})) if (!notCopied.has(key)) result[key] = value;
  const old = revisionOf(replicaSet);
  if (old >= newRevision) return withRevision(result, old);
  if (old > 0n) result[revisionHistoryAnnotation] = appendHistory(replicaSet?.[revisionHistoryAnnotation], old);
  return withRevision(result, newRevision);
}

function appendHistory(history: string | undefined, revision: bigint): string {
  const revisions = history ? history.split(",") : [];
  if (revisions.includes(String(revision))) return history ?? "";
  revisions.push(String(revision));
  while (revisions.length > 1 && revisions.join().length > maxHistoryLength) revisions.shift();
  return revisions.join();
}

/** The highest revision among ReplicaSets. */
export function maxRevision(sets: readonly ReplicaSet[]): bigint {
  let highest = 0n;
  for (const { metadata } of sets) {
    const revision = revisionOf(metadata.annotations);
    if (revision > highest) highest = revision;
  }
  return highest;
}
