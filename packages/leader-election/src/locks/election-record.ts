/** Who leads, and until when. */
export interface ElectionRecord {
  /** Empty when the lock was released. */
  readonly holderIdentity: string;
  readonly leaseDurationSeconds: number;
  /** RFC 3339 texts. */
  readonly acquireTime: string;
  readonly renewTime: string;
  /** How often the leader changed. */
  readonly leaderTransitions: number;
}

/** The holder that two locks of a pair do not agree about. */
export const unknownLeader = "leaderelection.orchernetes.io/unknown";

const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const count = (value: unknown): number => (typeof value === "number" ? value : 0);

/** An object as the API server keeps it, as far as locks look at it. */
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

/** An answer of the API server as an object. @throws Error when it is none. */
export function lockObject(answer: unknown): LockObject {
  if (typeof field(answer, "metadata") !== "object")
    throw new Error("the API server answered something that is no object");
  return answer as LockObject;
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

/** The record in an annotation, or undefined without one. @throws Error when the annotation is no JSON object. */
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
