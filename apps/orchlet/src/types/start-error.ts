/** A container cannot be started now. Its reason and message are what the container's status shows. */
export class ContainerStartError extends Error {
  override readonly name = "ContainerStartError";
  /** Such as `ErrImagePull` or `CreateContainerConfigError`. */
  readonly reason: string;
  /** When another try makes sense, in milliseconds; undefined: by the usual back-off. */
  readonly retryInMs: number | undefined;
  constructor(reason: string, message: string, options: ErrorOptions & { readonly retryInMs?: number } = {}) {
    super(message, options);
    this.reason = reason;
    this.retryInMs = options.retryInMs;
  }
}
