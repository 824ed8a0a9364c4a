/** Extension points whose duration is measured, with upstream's names. */
export type MeasuredPoint =
  | "PreEnqueue"
  | "PreFilter"
  | "Filter"
  | "PostFilter"
  | "PreScore"
  | "Score"
  | "Reserve"
  | "Unreserve"
  | "Permit"
  | "PreBind"
  | "Bind"
  | "PostBind";

/** How a plugin, or all plugins of an extension point, ended; upstream's codes. */
export type PointStatus = "Success" | "Skip" | "Wait" | "Unschedulable" | "UnschedulableAndUnresolvable" | "Error";

/**
 * Receives how long the parts of scheduling cycles take, for one profile. Times are those of {@link CycleMeter.now}.
 */
export interface CycleMeter {
  /**
   * Whether single plugins are measured in this cycle, until the end of its binding. That is so in a part of the cycles only, because
   * reading the clock takes longer than many plugins.
   */
  readonly measuresPlugins: boolean;
  /** Monotonic, in milliseconds. */
  now(): number;
  /** All plugins of an extension point have run since `startedMs`. */
  point(point: MeasuredPoint, status: PointStatus, startedMs: number): void;
  /** An extension point without plugins was passed. It counts, as upstream, but takes no time. */
  empty(point: MeasuredPoint): void;
  /** A plugin has run since `startedMs`. */
  plugin(plugin: string, point: MeasuredPoint, status: PointStatus, startedMs: number): void;
  /** The first `count` PreFilter plugins of the profile were called for a pod. */
  preFiltered(count: number): void;
  /** A filter was called for this number of nodes. */
  filtered(plugin: string, nodes: number): void;
}
