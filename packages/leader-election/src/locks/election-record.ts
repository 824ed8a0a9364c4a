/** The record that the leader keeps in the lock: who leads, and since when. */
export interface ElectionRecord {
  /** Empty when the lock was released. */
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  /** RFC 3339 time at which the holder became the leader; `renewTime` is that of its last renewal. */
  readonly acquireTime: string;
  readonly renewTime: string;
  /** How many times the leader has changed. */
  readonly leaderTransitions: number;
}

/** The holder that a pair of locks reports when its two records disagree. */
export const unknownLeader = "leaderelection.orchernetes.io/unknown";

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown): number => (typeof value === "number" ? value : 0);

/** The parts of an API object that locks read. */
export interface LockObject {
  readonly metadata: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [key: string]: unknown;
}

/** Checks that a response of the API server is an object. @throws Error otherwise. */
export function lockObject(response: unknown): LockObject {
  if (typeof field(response, "metadata") !== "object")
    throw new Error("the API server returned something that is not an object");
  return response as LockObject;
}

/** The record in a Lease. */
export function recordOfLease(lease: LockObject): ElectionRecord {
  return {
    holderIdentity: text(field(lease.spec, "holderIdentity")),
    leaseDurationSeconds: count(field(lease.spec, "leaseDurationSeconds")),
    acquireTime: text(field(lease.spec, "acquireTime")),
    renewTime: text(field(lease.spec, "renewTime")),
    leaderTransitions: count(field(lease.spec, "leaseTransitions")),
  };
}

/** The record in an annotation, or undefined without one. @throws Error when the annotation is not a JSON object. */
export function recordOfAnnotation(annotation: string | undefined): ElectionRecord | undefined {
  if (annotation === undefined || annotation === "") return undefined;
  const value: unknown = JSON.parse(annotation);
  return {
    holderIdentity: text(field(value, "holderIdentity")),
    leaseDurationSeconds: count(field(value, "leaseDurationSeconds")),
    acquireTime: text(field(value, "acquireTime")),
    renewTime: text(field(value, "renewTime")),
    leaderTransitions: count(field(value, "leaderTransitions")),
  };
}
