/**
 * Callbacks for requests and events; each is optional. Daemons export them as `rest_client_*` metrics with the names
 * and labels of Kubernetes. They are called for every request, so they must be quick and must not throw.
 */
export interface ClientMetrics {
  /**
   * `rest_client_requests_total{code, method, host}` and `rest_client_request_duration_seconds{verb, host}`. Every
   * attempt counts. The code is `<error>` without a response.
   */
  requestFinished?(labels: {
    readonly code: string;
    readonly method: string;
    readonly host: string;
    readonly durationMs: number;
    /** `rest_client_request_size_bytes{verb, host}`: bytes of the body; undefined without one. */
    readonly requestBytes?: number;
    /** `rest_client_response_size_bytes{verb, host}`: bytes of the body, if the header of the response contains them. */
    readonly responseBytes?: number;
  }): void;
  /** `rest_client_rate_limiter_duration_seconds{verb, host}`. */
  rateLimited?(labels: { readonly method: string; readonly host: string; readonly waitedMs: number }): void;
  /** `rest_client_request_retries_total{code, verb, host}`. */
  retried?(labels: { readonly code: string; readonly method: string; readonly host: string }): void;
  /** `event_recorder_dropped_total{component, reason}`: dropped events. */
  eventDropped?(labels: { readonly component: string; readonly reason: string }): void;
}
