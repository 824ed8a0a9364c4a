import type { HttpRequest } from "@orchernetes/kernel";

/** Attributes of a span; undefined values are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A recorded piece of work: a span of OpenTelemetry. */
export interface Span {
  /** Adds attributes. */
  set(attributes: SpanAttributes): void;
  /** Marks the span as failed, with the error's message. */
  fail(error: unknown): void;
}

/**
 * Records how long the parts of a request take. The current span follows the work through promises (AsyncLocalStorage),
 * so that callers need not pass it on.
 */
export interface Tracer {
  /**
   * Runs a request's work in a span, as a child of the one that the request's headers name (W3C Trace Context). `span`
   * is undefined if the request is not sampled.
   */
  request<T>(req: HttpRequest, name: string, work: (span: Span | undefined) => Promise<T>): Promise<T>;
  /**
   * Runs work in a child of the current span, or without one if there is none. An error that it throws marks the span
   * as failed.
   */
  span<T>(name: string, attributes: SpanAttributes, work: () => T): T;
}
