import { type Span as SdkSpan, SpanStatusCode } from "@opentelemetry/api";
import { messageOf } from "@orchernetes/kernel";

/** Attributes of a span. Undefined values are omitted. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Longest text in a span, in characters; longer ones are cut off. */
export const MAX_TEXT = 4096;

/** A span that has not ended. */
export class Span {
  readonly #span: SdkSpan;

  constructor(span: SdkSpan) {
    this.#span = span;
  }

  /** Sets attributes, replacing those with the same name. */
  set(attributes: Attributes): void {
    for (const [key, value] of Object.entries(attributes)) if (value !== undefined) this.#span.setAttribute(key, value);
  }

  /** Marks the span as failed, with the message of the error. */
  fail(error: unknown): void {
    const message = messageOf(error).slice(0, MAX_TEXT);
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message });
  }

  /** Ends the span and queues it for sending. It must not be used afterwards. */
  end(): void {
    this.#span.end();
  }
}
