import { GrpcError, GrpcStatus } from "./grpc-error.ts";

/** The code of an error. `Number` alone would also accept texts such as "" and "1e1". */
const ERROR_CODE = /^[1-9]\d{0,8}$/;

/**
 * Reads the status of a call from its trailers, or from headers without messages.
 *
 * @param field returns a header by its name in lower case
 * @returns undefined for status OK
 */
export function statusError(field: (name: string) => string | undefined): GrpcError | undefined {
  const status = field("grpc-status");
  if (status === "0") return undefined;
  if (status === undefined) {
    const code = field(":status") ?? "none";
    return new GrpcError(GrpcStatus.unavailable, `the response has HTTP status ${code} and no gRPC status`);
  }
  const message = decoded(field("grpc-message") ?? "");
  if (!ERROR_CODE.test(status))
    return new GrpcError(GrpcStatus.unknown, `malformed gRPC status "${status.slice(0, 16)}": ${message}`);
  return new GrpcError(Number(status), message);
}

/** The message is percent-encoded; one that is not valid is used as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
