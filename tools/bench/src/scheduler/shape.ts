import type { core } from "@orchernetes/api";

/** Namespaces of the pods that are there before, and of those that are measured. */
export const BEFORE = "sched-0";
export const MEASURED = "sched-1";

/** The class of pods that preempt others; a pod of the API names it instead of its priority. */
export const HIGH = "bench-high";

/** A node as it is created, with its status. */
export interface BenchNode {
  readonly labels: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
}

/** Labels and spec of a pod as it is created. */
export interface BenchPod {
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec: core.PodSpec;
}

/** A number of equal or similar pods. */
export interface Batch {
  readonly count: number;
  /** The pod with this number, from 0. */
  readonly pod: (n: number) => BenchPod;
  /** Whether they are put on the nodes in turn, instead of being scheduled. @default false */
  readonly evenly?: boolean;
}

/** One of the shapes of the public scheduler benchmarks (kubernetes/kubernetes, test/integration/scheduler_perf). */
export interface Shape {
  readonly id: string;
  /** What is scheduled, for tables. */
  readonly work: string;
  /** By number, from 0. */
  readonly node: (n: number) => BenchNode;
  readonly nodes: number;
  /** Pods that are scheduled before the measurement begins, of namespace {@link BEFORE}. @default none */
  readonly before?: readonly Batch[];
  /** Pods whose scheduling is measured, of namespace {@link MEASURED}. */
  readonly measured: Batch;
  /** Whether the pods of `before` can never be scheduled. @default false */
  readonly unschedulableBefore?: boolean;
  /** Whether other objects come and go meanwhile. @default false */
  readonly churn?: boolean;
}
