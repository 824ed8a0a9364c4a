/**
 * Input that cannot be decoded as what it should be. The server answers BadRequest with this message after its own
 * beginning.
 */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  /** Path in the document, such as `spec.containers[0].image`; "" means the whole document. */
  readonly path: string;

  constructor(message: string, path = "", options?: { readonly cause?: unknown }) {
    super(message, options);
    this.path = path;
  }
}
