import type { AuditEvent, AuditSink } from "@orchernetes/apiserver";
import type { AuditBackend, ReportLost } from "./backend.ts";

/** Has each request wait until its event is kept. */
export class BlockingSink implements AuditSink {
  readonly #backend: AuditBackend;
  readonly #strict: boolean;
  readonly #reportLost: ReportLost;

  /** @param strict whether a request whose event is lost is refused */
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
