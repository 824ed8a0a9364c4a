import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";
import type { Attributes, AttributeValue, EndedSpan } from "./span.ts";
import { formatTraceParent, parseTraceContext, type TraceContext } from "./trace-context.ts";

const maxAttributes = 128;
const maxText = 4096;

/** A span while it lasts. */
export class Span {
  readonly context: TraceContext;
  readonly #parentId: string;
  readonly #name: string;
  readonly #kind: EndedSpan["kind"];
  readonly #startMs: number;
  readonly #attributes = new Map<string, AttributeValue>();
  #failure: string | undefined;

  constructor(context: TraceContext, parentId: string, name: string, kind: EndedSpan["kind"], startMs: number) {
    this.context = context;
    this.#parentId = parentId;
    this.#name = name;
    this.#kind = kind;
    this.#startMs = startMs;
  }

  set(attributes: Attributes): void {
    for (const [key, value] of Object.entries(attributes)) {
      if (value === undefined || (this.#attributes.size >= maxAttributes && !this.#attributes.has(key))) continue;
      this.#attributes.set(key, typeof value === "string" ? value.slice(0, maxText) : value);
    }
  }

  /** Marks it as failed. */
  fail(error: unknown): void {
    this.#failure = (error instanceof Error ? error.message : String(error)).slice(0, maxText);
  }

  end(endMs: number): EndedSpan {
    const { traceId, spanId, traceState } = this.context;
    return {
      traceId,
      spanId,
      parentId: this.#parentId,
      traceState,
      name: this.#name,
      kind: this.#kind,
      startMs: this.#startMs,
      endMs,
      attributes: this.#attributes,
      failure: this.#failure,
    };
  }
}

/** What a {@link Tracer} is made of. */
export interface TracerOptions {
  /** Of a million requests without a parent, so many are sampled. A parent that is sampled makes its children so. */
  readonly samplingRatePerMillion: number;
  /** Takes spans as they end. Must not throw, nor wait. */
  readonly export: (span: EndedSpan) => void;
  /** Milliseconds since the Unix epoch, with fractions. */
  readonly now?: () => number;
  /** From 0 to below 1. @default Math.random */
  readonly random?: () => number;
}

/**
 * Records what work spends its time with. The present span follows the work through promises and callbacks. Whether a request
 * is sampled is decided by its parent, if it has one, else by chance.
 */
export class Tracer {
  readonly #options: Required<TracerOptions>;
  readonly #present = new AsyncLocalStorage<Span | undefined>();

  constructor(options: TracerOptions) {
    this.#options = { now: () => performance.timeOrigin + performance.now(), random: Math.random, ...options };
  }

  /** Runs the work of a request that came with these headers in a separate span, if the request is sampled. */
  request<T>(
    request: { readonly headers: Readonly<Record<string, string | readonly string[] | undefined>> },
    name: string,
    work: (span: Span | undefined) => Promise<T>,
  ): Promise<T> {
    const parent = parseTraceContext(request.headers);
    const sampled =
      parent === undefined ? this.#options.random() * 1_000_000 < this.#options.samplingRatePerMillion : parent.sampled;
    // What ran before on the same connection must not become the parent.
    if (!sampled) return this.#present.run(undefined, () => work(undefined));
    return this.#run(this.#start(parent, name, "server"), work) as Promise<T>;
  }

  /** Does work in a child of the present span; where there is none it is only done. */
  span<T>(name: string, attributes: Attributes, work: () => T): T {
    const parent = this.#present.getStore();
    if (parent === undefined) return work();
    const span = this.#start(parent.context, name, "internal");
    span.set(attributes);
    return this.#run(span, work) as T;
  }

  /** The header `traceparent` for calls of other processes; undefined outside of spans. */
  traceparent(): string | undefined {
    const present = this.#present.getStore();
    return present === undefined ? undefined : formatTraceParent(present.context);
  }

  #start(parent: TraceContext | undefined, name: string, kind: EndedSpan["kind"]): Span {
    const context: TraceContext = {
      traceId: parent?.traceId ?? randomBytes(16).toString("hex"),
      spanId: randomBytes(8).toString("hex"),
      sampled: true,
      traceState: parent?.traceState ?? "",
    };
    return new Span(context, parent?.spanId ?? "", name, kind, this.#options.now());
  }

  #run(span: Span, work: (span: Span) => unknown): unknown {
    const done = () => this.#options.export(span.end(this.#options.now()));
    const failed = (error: unknown): never => {
      span.fail(error);
      done();
      throw error;
    };
    let result: unknown;
    try {
      result = this.#present.run(span, work, span);
    } catch (error) {
      return failed(error);
    }
    if (!(result instanceof Promise)) {
      done();
      return result;
    }
    return result.then((value: unknown) => {
      done();
      return value;
    }, failed);
  }
}
