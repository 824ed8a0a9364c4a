import type { AdmissionContext, Registry } from "../interfaces/index.ts";
import type { WriteRequest } from "./served-version.ts";

/**
 * What admission plugins may use for a write. A class, because reading `signal` creates the request's AbortController:
 * with a plain object every write would pay for it, and only plugins that call webhooks need it.
 */
export class WriteContext implements AdmissionContext {
  readonly registry: Registry;
  readonly now: Date;
  readonly warn: (message: string) => void;
  readonly annotate: AdmissionContext["annotate"];
  readonly #request: WriteRequest;

  constructor(registry: Registry, request: WriteRequest) {
    this.registry = registry;
    this.now = request.now;
    this.warn = request.warn;
    this.annotate = request.annotate;
    this.#request = request;
  }

  get deadlineMs(): number | undefined {
    return this.#request.deadlineMs;
  }

  get addWebhookTime(): AdmissionContext["addWebhookTime"] {
    return this.#request.addWebhookTime;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }
}
