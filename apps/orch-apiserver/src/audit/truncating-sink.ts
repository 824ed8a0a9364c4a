import type { AuditEvent, AuditSink } from "@orchernetes/apiserver";
import type { ReportLost } from "./backend.ts";

/**
 * `--audit-...-truncate-enabled`: removes the bodies of events that are too large, and drops events that are too large even without
 * bodies.
 */
export class TruncatingSink implements AuditSink {
  readonly #sink: AuditSink;
  readonly #maxBytes: number;
  readonly #reportLost: ReportLost;

  constructor(sink: AuditSink, maxBytes: number, reportLost: ReportLost) {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
    this.#reportLost = reportLost;
  }

  process(event: AuditEvent): boolean | Promise<boolean> {
    if (this.#fits(event)) return this.#sink.process(event);
    const shorter = event.withoutBodies();
    if (this.#fits(shorter)) return this.#sink.process(shorter);
    this.#reportLost("truncate", new Error("event is too large even after truncating"), 1);
    return true;
  }

  #fits({ json }: AuditEvent): boolean {
    // A UTF-16 code unit takes at most three bytes in UTF-8, so most events need no count of their bytes.
    return json.length * 3 <= this.#maxBytes || Buffer.byteLength(json) <= this.#maxBytes;
  }
}
