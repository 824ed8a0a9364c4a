/** A value that says something about a span. */
export type AttributeValue = string | number | boolean;

/** What is known of a span; absent values are left out. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;

/** A span that has ended. */
export interface EndedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** "" for the first span of a trace. */
  readonly parentId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: "internal" | "server";
  /** Milliseconds since the Unix epoch, with fractions. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: ReadonlyMap<string, AttributeValue>;
  /** Why it failed; undefined if it did not. */
  readonly failure: string | undefined;
}
