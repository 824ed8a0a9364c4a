/**
 * gRPC on unix sockets without generated code, for the interfaces of a node other than CRI: messages are described as those of CRI
 * are ([ADR 23](../../../../docs/adr/0023-cri-messages.md)), and the types of clients and handlers are inferred.
 *
 * @example
 * ```ts
 * import { message, openService, serveGrpc, served, string, unary } from "@orchernetes/cri/grpc";
 *
 * const greeter = { greet: unary(message({ name: [1, string] }), message({ text: [1, string] })) };
 * const server = await serveGrpc("/tmp/greeter.sock", [
 *   served("hello.Greeter", greeter, { greet: ({ name }) => ({ text: `Hello, ${name}` }) }),
 * ]);
 * const client = openService("/tmp/greeter.sock", "hello.Greeter", greeter, { timeoutMs: 1000 });
 * console.log((await client.calls.greet({ name: "node" })).text);
 * client.close();
 * await server.close();
 * ```
 *
 * @module
 */
export type { Calls } from "../client/bind-service.ts";
export { CriError as RpcError, isCriError as isRpcError } from "../client/cri-error.ts";
export { type Handlers, served, serveGrpc } from "../server/serve-grpc.ts";
export { bool, enumeration, int32, int64, list, string, stringMap, uint64 } from "../v1/fields.ts";
export { type Infer, type Init, message } from "../v1/message.ts";
export { stream, unary } from "../v1/method.ts";
export { openService } from "./open-service.ts";
