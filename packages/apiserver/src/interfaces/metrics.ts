import type { RequestInfo } from "./request-info.ts";

/** Where the server counts requests. Implementations must be cheap: called on every request. */
export interface ApiMetrics {
  /** A request has been answered. `scope`: `cluster`, `namespace`, `resource` or "". */
  observeRequest(info: RequestInfo, code: number, scope: string, seconds: number, dryRun: boolean): void;
  /** Requests being worked on, by kind (`readOnly`, `mutating`). */
  setInflight(kind: "readOnly" | "mutating", count: number): void;
  /** A long-running request started (+1) or ended (-1). */
  addLongRunning(info: RequestInfo, scope: string, delta: 1 | -1): void;
  /** A watch sent events. */
  addWatchEvents?(info: RequestInfo, count: number): void;
}
