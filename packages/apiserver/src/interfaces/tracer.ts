import type { HttpRequest } from "@orchernetes/kernel";

/** What is known of a span; absent values are left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Something that took time, on the record. */
export interface Span {
  set(attributes: SpanAttributes): void;
  /** Marks it as failed. */
  fail(error: unknown): void;
}

/**
 * Records what requests spend their time with. The span being worked in follows the work through promises, so that no caller
 * hands it on.
 */
export interface Tracer {
  /**
   * Does a request's work in its span, the child of what the request's headers name. Without a span when the request is not
   * among those that are sampled.
   */
  request<T>(req: HttpRequest, name: string, work: (span: Span | undefined) => Promise<T>): Promise<T>;
  /** Does work in a child of the present span; where there is none it is only done. What it throws marks the span as failed. */
  span<T>(name: string, attributes: SpanAttributes, work: () => T): T;
}
