import type { AuditEvent, AuditSink } from "@orchernetes/apiserver";
import type { AuditBackend, ReportLost } from "./backend.ts";

/** Modes `blocking` and `blocking-strict`: a request waits until its event is delivered. */
export class BlockingSink implements AuditSink {
  readonly #backend: AuditBackend;
  readonly #strict: boolean;
  readonly #reportLost: ReportLost;

  /** @param strict whether the request is rejected if its event is lost */
  constructor(backend: AuditBackend, strict: boolean, reportLost: ReportLost) {
    this.#backend = backend;
    this.#strict = strict;
    this.#reportLost = reportLost;
  }

  async process(event: AuditEvent): Promise<boolean> {
    try {
      await this.#backend.deliver([event]);
      return true;
    } catch (error) {
      this.#reportLost(this.#backend.name, error, 1);
      return !this.#strict;
    }
  }
}
