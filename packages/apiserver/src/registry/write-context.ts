import type { AdmissionContext, Registry } from "../interfaces/index.ts";
import type { WriteRequest } from "./served-version.ts";

/** What admission plugins see of a write. Its signal is the request's, created when a plugin uses it. */
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

  get signal(): AbortSignal {
    return this.#request.signal;
  }
}
