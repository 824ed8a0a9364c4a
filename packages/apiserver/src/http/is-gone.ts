/** What tells whether a response still has somebody to go to. */
interface Answering {
  /** HTTP/1.1, and in-process calls. */
  readonly destroyed: boolean;
}

/**
 * Whether a response's connection or stream is closed, so that no `close` event will come any more. Node's HTTP/2 responses have
 * no `destroyed` of their own, though they are typed as if: their stream has.
 */
export function isGone(response: Answering): boolean {
  const { stream } = response as { readonly stream?: { readonly destroyed: boolean } };
  return stream === undefined ? response.destroyed : stream.destroyed;
}
