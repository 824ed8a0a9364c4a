/** Called by the client as requests finish; each is optional. The daemon turns them into `rest_client_*` metrics. */
export interface ClientMetrics {
  /** `rest_client_requests_total{code, method, host}` and `rest_client_request_duration_seconds{verb, host}`. Code is `<error>` without an answer. */
  requestFinished?(labels: {
    readonly code: string;
    readonly method: string;
    readonly host: string;
    readonly durationMs: number;
    /** `rest_client_request_size_bytes{verb, host}`: bytes of the body; absent without one. */
    readonly requestBytes?: number;
    /** `rest_client_response_size_bytes{verb, host}`: bytes of the body as far as the answer's head tells. */
    readonly responseBytes?: number;
  }): void;
  /** `rest_client_rate_limiter_duration_seconds{verb, host}`. */
  rateLimited?(labels: { readonly method: string; readonly host: string; readonly waitedMs: number }): void;
  /** `rest_client_request_retries_total{code, verb, host}`. */
  retried?(labels: { readonly code: string; readonly method: string; readonly host: string }): void;
  /** `event_recorder_dropped_total{component, reason}`: dropped events. */
  eventDropped?(labels: { readonly component: string; readonly reason: string }): void;
}
