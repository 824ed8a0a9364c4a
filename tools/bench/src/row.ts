import type { TestApiServer } from "@orchernetes/testkit";

/** One figure: what is measured, the figure of upstream, and the goal of this project. */
export interface Measure {
  /** Unique among all rows; identifies the figure in the history. */
  readonly id: string;
  readonly work: string;
  readonly unit: "s" | "ms" | "MB" | "/s" | "pods/s" | "events/s" | "req/s" | "requests" | "%";
  /** As measured with kube-apiserver 1.20; undefined if upstream has nothing comparable. `best` is the figure to beat. */
  readonly upstream?: { readonly text: string; readonly best: number };
  /** The goal: one of the two, or neither for a figure that is for comparison only. */
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** The services that a row uses. */
export interface RowContext {
  readonly quick: boolean;
  readonly store: "etcd" | "embedded";
  /** An API server of the row's own, with namespace `bench`; stopped when the row ends. */
  startServer(store?: "etcd" | "embedded", flags?: readonly string[]): Promise<TestApiServer>;
  /** Registers work for the end of the row, whatever its outcome. The last one registered runs first. */
  defer(work: () => Promise<void> | void): void;
  /** Adds a remark to the table, e.g. the number of bytes of a list. */
  note(text: string): void;
}

/** A measurement with server processes and directories of its own. */
export interface Row {
  readonly id: string;
  readonly measures: readonly Measure[];
  /** The reason why it cannot be measured on this machine; undefined if it can. */
  readonly unavailable?: string | undefined;
  /** No requests for metrics are sent to its API servers, because they would change the figure; so their stalls are unknown. @default false */
  readonly idle?: boolean;
  /** @returns the figures by the measures' ids */
  run(context: RowContext): Promise<Readonly<Record<string, number>>>;
}

/** A figure of one run. */
export interface Result {
  readonly measure: Measure;
  /** Undefined if the row failed or was skipped; `note` has the reason. */
  readonly value: number | undefined;
  readonly note: string;
  /** The longest stall of the row's API server in milliseconds; undefined if the row has no API server under load. */
  readonly stallMs?: number;
  /** Requests per second that a bare server answered in the run; undefined if that could not be measured. */
  readonly limit?: number;
}
