/** Settings of a {@link StartError} besides its reason and message. */
interface StartErrorOptions extends ErrorOptions {
  readonly retryInMs?: number;
}

/** A pod or container cannot be started now, for a reason that users see. */
abstract class StartError extends Error {
  /** One word in CamelCase, such as `NetworkNotReady` or `ErrImagePull`. */
  readonly reason: string;
  /** Delay before the next attempt in milliseconds, however often it has failed; undefined for the usual back-off. */
  readonly retryInMs: number | undefined;
  constructor(reason: string, message: string, options: StartErrorOptions = {}) {
    super(message, options);
    this.reason = reason;
    this.retryInMs = options.retryInMs;
  }
}

/** A pod cannot be started now. An event of the pod has the reason and the message. */
export class PodStartError extends StartError {
  override readonly name = "PodStartError";
}

/** A container cannot be started now. The container's status shows the reason and the message. */
export class ContainerStartError extends StartError {
  override readonly name = "ContainerStartError";
}
