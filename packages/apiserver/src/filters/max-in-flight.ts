import { ApiError, failure } from "@orchernetes/apimachinery";
import { SUPERUSER_GROUP, type UserInfo } from "@orchernetes/auth";
import { type ApiMetrics, isReadOnly, type RequestInfo } from "../interfaces/index.ts";

/** 429 for a request beyond the limit. Clients retry after a second; the text is upstream's. */
function tooManyInFlight(): ApiError {
  return new ApiError(
    failure("TooManyRequests", "Too many requests, please try again later.", { retryAfterSeconds: 1 }),
  );
}

/** Limits of {@link MaxInFlight}. */
export interface MaxInFlightOptions {
  /** 0: unlimited. */
  readonly readOnly: number;
  /** 0: unlimited. */
  readonly mutating: number;
  readonly metrics?: ApiMetrics | undefined;
}

/**
 * Limits how many requests are in flight at the same time, reads and writes separately, for servers without priority
 * and fairness. Requests are rejected rather than queued. Members of `system:masters` are not limited, so that
 * administrators can repair an overloaded server.
 */
export class MaxInFlight {
  readonly #options: MaxInFlightOptions;
  #readOnly = 0;
  #mutating = 0;

  constructor(options: MaxInFlightOptions) {
    this.#options = options;
  }

  /**
   * Takes a slot. The function returned releases it, and must be called exactly once; it is the same for all requests
   * of a kind, so that none is allocated per request.
   *
   * @throws ApiError TooManyRequests
   */
  enter(info: RequestInfo, user: UserInfo): () => void {
    const { metrics } = this.#options;
    const exempt = user.groups.includes(SUPERUSER_GROUP);
    if (isReadOnly(info)) {
      if (!exempt && this.#options.readOnly > 0 && this.#readOnly >= this.#options.readOnly) throw tooManyInFlight();
      this.#readOnly++;
      metrics?.setInflight("readOnly", this.#readOnly);
      return this.#leaveReadOnly;
    }
    if (!exempt && this.#options.mutating > 0 && this.#mutating >= this.#options.mutating) throw tooManyInFlight();
    this.#mutating++;
    metrics?.setInflight("mutating", this.#mutating);
    return this.#leaveMutating;
  }

  readonly #leaveReadOnly = (): void => {
    this.#readOnly--;
    this.#options.metrics?.setInflight("readOnly", this.#readOnly);
  };

  readonly #leaveMutating = (): void => {
    this.#mutating--;
    this.#options.metrics?.setInflight("mutating", this.#mutating);
  };
}
