import type { Logger } from "@orchernetes/kernel";
import type { Init } from "../v1/message.ts";
import { type Method, type Methods, wireName } from "../v1/method.ts";
import type { CallOptions, Channel, View } from "./channel.ts";

/** A call with one response. */
interface UnaryCall<Request, Response> {
  /** Reads only a part of the response. */
  <V extends object>(request: Init<Request>, options: CallOptions & { readonly view: View<V> }): Promise<V>;
  (request: Init<Request>, options?: CallOptions): Promise<Response>;
}

type Call<M> =
  M extends Method<infer Request, infer Response, infer Stream>
    ? Stream extends true
      ? (request: Init<Request>, options?: CallOptions) => AsyncIterable<Response>
      : UnaryCall<Request, Response>
    : never;

/** The calls of a service. All reject with `CriError`. */
export type Calls<M extends Methods> = { readonly [K in keyof M]: Call<M[K]> };

/** What holds for all calls of a service. */
export interface ServiceBinding {
  /** The deadline of a call without one of its own, in ms; `Infinity` for none. `method` is its TypeScript name. */
  readonly timeoutMs: (method: string, request: object) => number;
  /** Aborting it cancels all calls. */
  readonly signal: AbortSignal;
  /** Logger for failed calls, at verbosity 4. */
  readonly logger?: Logger | undefined;
}

/** Makes the methods of a service functions that call them over a channel. */
export function bindService<M extends Methods>(
  channel: Channel,
  methods: M,
  { timeoutMs, signal, logger }: ServiceBinding,
): Calls<M> {
  const calls = Object.entries(methods).map(([name, spec]) => {
    const method = wireName(name);
    const complete = (request: object, call: CallOptions = {}): CallOptions => ({
      timeoutMs: call.timeoutMs ?? timeoutMs(name, request),
      signal: call.signal === undefined ? signal : AbortSignal.any([call.signal, signal]),
    });
    if (spec.stream)
      return [
        name,
        (request: object, call?: CallOptions) => channel.stream(method, spec, request, complete(request, call)),
      ];
    return [
      name,
      async (request: object, call?: CallOptions & { readonly view?: View<object> }) => {
        try {
          return await channel.unary(method, spec, request, { ...complete(request, call), view: call?.view });
        } catch (error) {
          logger?.v(4)?.info("Call failed", { method, err: error });
          throw error;
        }
      },
    ];
  });
  return Object.fromEntries(calls) as Calls<M>;
}
