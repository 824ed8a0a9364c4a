import type { AuditEventFields } from "./event-fields.ts";
import { eventLine, TYPE_META } from "./event-line.ts";

/** Annotation of events without the bodies that they should have. */
export const truncatedAnnotation = "audit.o8s.io/truncated";

/** A record of a request (`Event` of audit.o8s.io/v1). */
export class AuditEvent {
  readonly fields: AuditEventFields;
  #line: string | undefined;

  constructor(fields: AuditEventFields) {
    this.fields = fields;
  }

  /** The event as a line of JSON, with its line feed. Created once, for all backends. */
  get line(): string {
    this.#line ??= eventLine(this.fields);
    return this.#line;
  }

  /** The event as JSON without a line feed. */
  get json(): string {
    return this.line.slice(0, -1);
  }

  /** The event as an item of an EventList: without kind and apiVersion, which the list determines. */
  get itemJson(): string {
    return `{${this.json.slice(TYPE_META.length)}`;
  }

  /** The event without its bodies, and with an annotation that records their removal. */
  withoutBodies(): AuditEvent {
    const annotations = new Map(this.fields.annotations).set(truncatedAnnotation, "true");
    return new AuditEvent({ ...this.fields, requestObject: undefined, responseObject: undefined, annotations });
  }
}
