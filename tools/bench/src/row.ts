import type { TestApiServer } from "@orchernetes/testkit";

/** One figure: what is measured, what upstream reaches, what this project has to reach. */
export interface Measure {
  /** Unique over all rows; stands in the history. */
  readonly id: string;
  readonly work: string;
  readonly unit: "s" | "ms" | "MB" | "/s" | "pods/s" | "events/s" | "req/s";
  /** As measured beside kube-apiserver 1.20; undefined where upstream has no such thing. `best` is the figure to beat. */
  readonly upstream?: { readonly text: string; readonly best: number };
  /** One of the two; neither where the figure is for comparison only. */
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** What a row may use. */
export interface RowContext {
  readonly quick: boolean;
  readonly store: "etcd" | "embedded";
  /** An API server of the row's own, with namespace `bench`; stopped when the row ends. */
  startServer(store?: "etcd" | "embedded"): Promise<TestApiServer>;
  /** Runs when the row ends, whatever its outcome; last registered first. */
  defer(work: () => Promise<void> | void): void;
  /** A remark for the table, e.g. how many bytes a list had. */
  note(text: string): void;
}

/** A measurement in server processes and folders of its own. */
export interface Row {
  readonly id: string;
  readonly measures: readonly Measure[];
  /** Undefined, or the reason why it can't be measured here. */
  readonly unavailable?: string | undefined;
  /** Its API servers are asked nothing, lest that changes what is measured: no stalls of theirs are known. @default false */
  readonly idle?: boolean;
  /** @returns the figures by the measures' ids */
  run(context: RowContext): Promise<Readonly<Record<string, number>>>;
}

/** A figure of one run. */
export interface Result {
  readonly measure: Measure;
  /** Undefined when the row failed or was skipped; `note` says why. */
  readonly value: number | undefined;
  readonly note: string;
  /** The longest stall of the row's API server in milliseconds; undefined where none was under load. */
  readonly stallMs?: number;
  /** What a bare server answered per second during the run; undefined when that could not be measured. */
  readonly limit?: number;
}
