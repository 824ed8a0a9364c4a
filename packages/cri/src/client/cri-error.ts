/** gRPC status codes by number. Names have the spelling of Go (`Canceled`), which users know from events. */
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

/** A failed CRI call. Its message has the form that users know from events: `rpc error: code = NotFound desc = …`. */
export class CriError extends Error {
  override readonly name = "CriError";
  /** The method, e.g. `RunPodSandbox`. */
  readonly method: string;
  /** Status code of gRPC; `Unavailable` when the runtime cannot be reached. */
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

/** Whether `error` is a CRI error, and has one of `codes` if there are any. */
export function isCriError(error: unknown, ...codes: GrpcCode[]): error is CriError {
  return error instanceof CriError && (codes.length === 0 || codes.includes(error.code));
}

/** Name of a status code; `Unknown` for numbers that gRPC does not define. */
export function grpcCodeName(code: number): GrpcCode {
  return grpcCodes[code] ?? "Unknown";
}
