/** Why a connection or a request on it ended. */
export class ConnectionError extends Error {
  override readonly name = "ConnectionError";
  /** As the errors of Node: `ECONNRESET`, `ETIMEDOUT`, `EPROTO`, `ERR_HTTP2_STREAM_ERROR`. */
  readonly code: string;
  /** True when the server has not processed the request, so that any may be sent again (RFC 9113, section 8.7). */
  readonly isUnprocessed: boolean;

  constructor(
    message: string,
    code: string,
    options: { readonly isUnprocessed?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.isUnprocessed = options.isUnprocessed ?? false;
  }
}
