/** Where in the program something was measured. */
export interface Frame {
  readonly functionName: string;
  readonly url: string;
  /** From 0; -1 for what has no source. */
  readonly lineNumber: number;
}

/** Calls as a tree: each node is its frame called from its parent. */
export interface ProfileNode {
  readonly frame: Frame;
  /** What was measured at this very node, one value per sample type; absent when nothing was. */
  readonly values?: readonly number[];
  readonly children: readonly ProfileNode[];
}

/** A profile, independent of its encoding. */
export interface Profile {
  /** What is measured, as name and unit, such as `["cpu", "nanoseconds"]`. */
  readonly sampleTypes: readonly (readonly [type: string, unit: string])[];
  readonly root: ProfileNode;
  /** When measuring began, in milliseconds since the epoch. */
  readonly startedMs: number;
  readonly durationMs: number;
  /** What one sample represents on average. */
  readonly period: { readonly type: readonly [type: string, unit: string]; readonly value: number };
}
