import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, defaultTextMapGetter, ROOT_CONTEXT, SpanKind, TraceFlags, trace } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, type SpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { version } from "@orchernetes/component";
import { type Attributes, MAX_TEXT, Span } from "./span.ts";

const MAX_ATTRIBUTES = 128;
const SCOPE = "orchernetes";

/** The options of a {@link Tracer}. */
export interface TracerOptions {
  /**
   * Number of requests to sample out of a million requests without a parent. Requests with a parent are sampled if
   * the parent is.
   */
  readonly samplingRatePerMillion: number;
  /** Receives spans when they end. */
  readonly processor: SpanProcessor;
  /** Attributes of all spans of this process. */
  readonly resource?: Resource;
  /** Random numbers in [0, 1). @default Math.random */
  readonly random?: () => number;
}

/**
 * Records how work spends its time, with the SDK of OpenTelemetry. The current span follows the work through promises
 * and callbacks. A request is sampled if its parent is; without a parent, at random. Registers nothing globally.
 */
export class Tracer {
  readonly #tracer: ReturnType<TracerProvider["getTracer"]>;
  readonly #propagator = new W3CTraceContextPropagator();
  readonly #samplingRatePerMillion: number;
  readonly #random: () => number;
  readonly #present = new AsyncLocalStorage<Context | undefined>();

  constructor(options: TracerOptions) {
    const { processor, resource = resourceFromAttributes({}) } = options;
    this.#samplingRatePerMillion = options.samplingRatePerMillion;
    this.#random = options.random ?? Math.random;
    const provider = new TracerProvider({
      resource,
      sampler: new AlwaysOnSampler(),
      spanLimits: { attributeCountLimit: MAX_ATTRIBUTES, attributeValueLengthLimit: MAX_TEXT },
      spanProcessors: [processor],
    });
    this.#tracer = provider.getTracer(SCOPE, version.gitVersion);
  }

  /**
   * Runs the work of a request. If the request is sampled, the work runs in a span, whose parent is the one in the
   * `traceparent` header (W3C Trace Context).
   */
  request<T>(
    request: { readonly headers: Readonly<Record<string, string | readonly string[] | undefined>> },
    name: string,
    work: (span: Span | undefined) => Promise<T>,
  ): Promise<T> {
    const parent = this.#propagator.extract(ROOT_CONTEXT, request.headers, defaultTextMapGetter);
    // Run outside any span: the span of an earlier request on the same connection must not become the parent.
    if (!this.#isSampled(parent)) return this.#present.run(undefined, () => work(undefined));
    const span = this.#tracer.startSpan(name, { kind: SpanKind.SERVER }, parent);
    return this.#run(new Span(span), trace.setSpan(parent, span), work) as Promise<T>;
  }

  /** Runs work in a child of the current span. Without a current span it only runs the work. */
  span<T>(name: string, attributes: Attributes, work: () => T): T {
    const parent = this.#present.getStore();
    if (parent === undefined) return work();
    const span = this.#tracer.startSpan(name, { attributes }, parent);
    return this.#run(new Span(span), trace.setSpan(parent, span), work) as T;
  }

  /** The `traceparent` header for calls to other processes; undefined outside a span. */
  traceparent(): string | undefined {
    const present = this.#present.getStore();
    if (present === undefined) return undefined;
    const headers: { traceparent?: string } = {};
    this.#propagator.inject(present, headers, {
      set: (carrier, key, value) => void Object.assign(carrier as object, { [key]: value }),
    });
    return headers.traceparent;
  }

  /**
   * Whether to sample a request. Not done by a sampler, for which the SDK would first create ids and a span: most
   * requests are not sampled.
   */
  #isSampled(parent: Context): boolean {
    const context = trace.getSpanContext(parent);
    if (context === undefined) return this.#random() * 1_000_000 < this.#samplingRatePerMillion;
    return (context.traceFlags & TraceFlags.SAMPLED) !== 0;
  }

  #run(span: Span, context: Context, work: (span: Span) => unknown): unknown {
    const failed = (error: unknown): never => {
      span.fail(error);
      span.end();
      throw error;
    };
    let result: unknown;
    try {
      result = this.#present.run(context, work, span);
    } catch (error) {
      return failed(error);
    }
    if (!(result instanceof Promise)) {
      span.end();
      return result;
    }
    return result.then((value: unknown) => {
      span.end();
      return value;
    }, failed);
  }
}
