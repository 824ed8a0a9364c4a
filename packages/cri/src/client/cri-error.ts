/** gRPC status codes by number, with the spelling used in messages of the ecosystem. */
export const grpcCodes = [
  "OK",
  "Canceled",
  "Unknown",
  "InvalidArgument",
  "DeadlineExceeded",
  "NotFound",
  "AlreadyExists",
  "PermissionDenied",
  "ResourceExhausted",
  "FailedPrecondition",
  "Aborted",
  "OutOfRange",
  "Unimplemented",
  "Internal",
  "Unavailable",
  "DataLoss",
  "Unauthenticated",
] as const;

/** Name of a gRPC status code. */
export type GrpcCode = (typeof grpcCodes)[number];

/**
 * A CRI call that failed. The message has the form users know from events: `rpc error: code = NotFound desc = …`.
 */
export class CriError extends Error {
  override readonly name = "CriError";
  /** The method, e.g. `RunPodSandbox`. */
  readonly method: string;
  readonly code: GrpcCode;
  /** The runtime's message, without the code. */
  readonly details: string;

  constructor(method: string, code: GrpcCode, details: string, options?: ErrorOptions) {
    super(`rpc error: code = ${code} desc = ${details}`, options);
    this.method = method;
    this.code = code;
    this.details = details;
  }
}

/** Whether `error` is a CRI error, of one of `codes` when any are given. */
export function isCriError(error: unknown, ...codes: GrpcCode[]): error is CriError {
  return error instanceof CriError && (codes.length === 0 || codes.includes(error.code));
}

/** Name of a status code number; numbers gRPC does not define are `Unknown`. */
export function grpcCodeName(code: number): GrpcCode {
  return grpcCodes[code] ?? "Unknown";
}
