/** The status codes of gRPC that its clients distinguish. */
export const GrpcStatus = {
  ok: 0,
  cancelled: 1,
  unknown: 2,
  deadlineExceeded: 4,
  resourceExhausted: 8,
  internal: 13,
  unavailable: 14,
  dataLoss: 15,
} as const;

/** The error of a call: a status of the server, or one that this side sets, such as UNAVAILABLE for a broken connection. */
export class GrpcError extends Error {
  /** A {@link GrpcStatus}, or another of gRPC's codes. */
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "GrpcError";
    this.code = code;
  }
}
