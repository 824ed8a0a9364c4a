import type { Init } from "./message.ts";

/** A method: the codecs of its messages, and whether the runtime responds with a stream of them. */
export interface Method<Request, Response, Stream extends boolean = boolean> {
  readonly request: Codec<Request>;
  readonly response: Codec<Response>;
  readonly stream: Stream;
}

interface Codec<T> {
  encode(value: Init<T>): Buffer;
  decode(bytes: Buffer): T;
}

/** Methods of a service by their TypeScript name; the wire name starts with a capital. */
export type Methods = Readonly<Record<string, Method<object, object>>>;

/** Name of a method in the path of a request. */
export function wireName(method: string): string {
  return method.charAt(0).toUpperCase() + method.slice(1);
}

/** Describes a method with one response. */
export function unary<Q, R>(request: Codec<Q>, response: Codec<R>): Method<Q, R, false> {
  return { request, response, stream: false };
}

/** Describes a method whose response is a stream. */
export function stream<Q, R>(request: Codec<Q>, response: Codec<R>): Method<Q, R, true> {
  return { request, response, stream: true };
}
