/**
 * What kind of error a provider reports.
 *
 * - `NotFound`: the cloud has no such thing.
 * - `ImplementedElsewhere`: another controller does this for the object; the framework then leaves it alone.
 * - `NotImplemented`: the provider has the part, but not this operation.
 * - `InvalidArgument`: the object asks for something that this cloud cannot do.
 * - `Unavailable`: the cloud, or the process of the provider, cannot be reached.
 * - `DeadlineExceeded`, `Canceled`: the deadline of the call has passed, or its caller has stopped.
 * - `InvalidAnswer`: the provider answered with something that is not an answer; only the framework reports it.
 * - `Internal`: anything else.
 */
export type CloudErrorCode =
  | "NotFound"
  | "ImplementedElsewhere"
  | "NotImplemented"
  | "InvalidArgument"
  | "Unavailable"
  | "DeadlineExceeded"
  | "Canceled"
  | "InvalidAnswer"
  | "Internal";

/** An error of a provider, as a value. */
export interface CloudError {
  readonly code: CloudErrorCode;
  /** For people: events and logs show it. Must contain no secrets. */
  readonly message: string;
  /** Of a load balancer: it has no address any more, and the service's status should show none. @default the status stays */
  readonly withdrawsStatus?: boolean;
}

/** The outcome of a call of a provider. Providers return errors; they need not throw. */
export type CloudResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: CloudError };

/** A successful outcome. */
export const succeeded = <T>(value: T): CloudResult<T> => ({ ok: true, value });

/** A failed outcome. */
export const failed = (code: CloudErrorCode, message: string): CloudResult<never> => ({
  ok: false,
  error: { code, message },
});

/** A failed outcome of a service that this cloud cannot serve at any address, nor go on to: the addresses of its status are removed. */
export const withdrawn = (message: string): CloudResult<never> => ({
  ok: false,
  error: { code: "InvalidArgument", message, withdrawsStatus: true },
});

/** An error of a provider that ends the sync of an object: the key is retried. */
export class CloudCallError extends Error {
  override readonly name = "CloudCallError";
  readonly code: CloudErrorCode;

  /** @param what the attempt, in front of the message of the error */
  constructor(what: string, { code, message }: CloudError) {
    super(`${what}: ${message}`);
    this.code = code;
  }
}

/** The value of an outcome. @throws CloudCallError of the attempt `what` */
export function valueOrThrow<T>(what: string, result: CloudResult<T>): T {
  if (result.ok) return result.value;
  throw new CloudCallError(what, result.error);
}
