import { ApiError, failure } from "@orchernetes/apimachinery";
import { SUPERUSER_GROUP, type UserInfo } from "@orchernetes/auth";
import { type ApiMetrics, isReadOnly, type RequestInfo } from "../interfaces/index.ts";

/** The answer to one request too many. */
function tooManyInFlight(): ApiError {
  return new ApiError(
    failure("TooManyRequests", "Too many requests, please try again later.", { retryAfterSeconds: 1 }),
  );
}

export interface MaxInFlightOptions {
  /** 0: unlimited. */
  readonly readOnly: number;
  /** 0: unlimited. */
  readonly mutating: number;
  readonly metrics?: ApiMetrics | undefined;
}

/** Bounds how many requests are worked on at once. Cluster administrators pass always. */
export class MaxInFlight {
  readonly #options: MaxInFlightOptions;
  #readOnly = 0;
  #mutating = 0;

  constructor(options: MaxInFlightOptions) {
    this.#options = options;
  }

  /**
   * Takes a slot; the function returned gives it back.
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
