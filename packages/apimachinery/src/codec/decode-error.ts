/** Input that cannot be read as what it should be. The server answers BadRequest with this message behind its own start. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  /** Where in the document, such as `spec.containers[0].image`; "" when the whole is meant. */
  readonly path: string;

  constructor(message: string, path = "", options?: { readonly cause?: unknown }) {
    super(message, options);
    this.path = path;
  }
}
