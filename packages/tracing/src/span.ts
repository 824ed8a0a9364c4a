import { type Span as SdkSpan, SpanStatusCode } from "@opentelemetry/api";
import { messageOf } from "@orchernetes/kernel";

/** What is known of a span; absent values are left out. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Longest text of a span, in characters. */
export const MAX_TEXT = 4096;

/** A span while it lasts. */
export class Span {
  readonly #span: SdkSpan;

  constructor(span: SdkSpan) {
    this.#span = span;
  }

  set(attributes: Attributes): void {
    for (const [key, value] of Object.entries(attributes)) if (value !== undefined) this.#span.setAttribute(key, value);
  }

  /** Marks it as failed. */
  fail(error: unknown): void {
    const message = messageOf(error).slice(0, MAX_TEXT);
    this.#span.setStatus({ code: SpanStatusCode.ERROR, message });
  }

  end(): void {
    this.#span.end();
  }
}
