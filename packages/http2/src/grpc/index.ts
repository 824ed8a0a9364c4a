/**
 * gRPC for many small calls, over a `ClientConnection`. The store uses it to call etcd, and the node agent to call the container runtime.
 *
 * @example
 * ```ts
 * import { connect } from "node:net";
 * import { GrpcClientConnection } from "@orchernetes/http2/grpc";
 *
 * const connection = new GrpcClientConnection({
 *   headersOf: (path) => [[":method", "POST"], [":scheme", "http"], [":path", path], [":authority", "localhost"]],
 *   dial: (_signal, { onSocket, onError }) => {
 *     const socket = connect("/run/server.sock", () => onSocket(socket)).once("error", onError);
 *   },
 * });
 * connection.call("/health.v1.Health/Check", Buffer.alloc(0), 5000, {
 *   onMessage: (bytes) => console.log(bytes),
 *   onEnd: (error) => console.log(error?.message ?? "OK"),
 * });
 * ```
 *
 * @module
 */
export type { CallSink, GrpcCall } from "./grpc-call.ts";
export { type DialSink, GrpcClientConnection, type GrpcConnectionOptions } from "./grpc-client-connection.ts";
export { GrpcError, GrpcStatus } from "./grpc-error.ts";
export { framedMessage, MessageAssembler } from "./grpc-framing.ts";
export { statusError } from "./grpc-status.ts";
