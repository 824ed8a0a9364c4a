import type { AuditEvent, AuditSink } from "@orchernetes/apiserver";
import type { ReportLost } from "./backend.ts";

/** Removes the bodies of events that are too large, and drops those that are too large without them. */
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
    // A code unit is at most three bytes.
    return json.length * 3 <= this.#maxBytes || Buffer.byteLength(json) <= this.#maxBytes;
  }
}
