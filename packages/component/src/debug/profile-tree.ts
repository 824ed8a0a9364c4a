/** A place in the program. */
export interface Frame {
  readonly functionName: string;
  readonly url: string;
  /** From 0; -1 without a source. */
  readonly lineNumber: number;
}

/** Calls as a tree: each node is its frame called from its parent. */
export interface ProfileNode {
  readonly frame: Frame;
  /** The values measured at this node itself, one per sample type; absent if there are none. */
  readonly values?: readonly number[];
  readonly children: readonly ProfileNode[];
}

/** A profile, independent of its encoding. */
export interface Profile {
  /** What is measured, as name and unit, such as `["cpu", "nanoseconds"]`. */
  readonly sampleTypes: readonly (readonly [type: string, unit: string])[];
  readonly root: ProfileNode;
  /** Start of the measurement, in milliseconds since the epoch. */
  readonly startedMs: number;
  readonly durationMs: number;
  /** What one sample represents on average. */
  readonly period: { readonly type: readonly [type: string, unit: string]; readonly value: number };
}
