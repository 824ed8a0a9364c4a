import { lstat, unlink } from "node:fs/promises";
import { connect } from "node:net";
import type {
  handleServerStreamingCall,
  handleUnaryCall,
  Server,
  ServerUnaryCall,
  ServiceDefinition,
} from "@grpc/grpc-js";
import { messageOf } from "@orchernetes/kernel";
import { grpcCodes, isCriError } from "../client/cri-error.ts";
import { checkSocketPath } from "../client/unix-socket.ts";
import type { Init } from "../v1/message.ts";
import { type Method, type Methods, wireName } from "../v1/method.ts";

type Handler<M> =
  M extends Method<infer Request, infer Response, infer Stream>
    ? Stream extends true
      ? /** @param signal - aborted when the client disconnects */ (signal: AbortSignal) => AsyncIterable<Response>
      : (request: Request) => Promise<Init<Response>> | Init<Response>
    : never;

/**
 * Methods of a service that a server implements. Others respond with `Unimplemented`. A thrown `CriError` determines the
 * status code.
 */
export type Handlers<M extends Methods> = { readonly [K in keyof M]?: Handler<M[K]> };

/** A service to serve. */
export interface ServedService {
  /** With its package, such as `runtime.v1.ImageService`. */
  readonly name: string;
  readonly methods: Methods;
  readonly handlers: object;
}

/** Describes a service, whose handlers have the types of its methods. */
export function served<M extends Methods>(name: string, methods: M, handlers: Handlers<M>): ServedService {
  return { name, methods, handlers };
}

type Implementation = Record<string, handleUnaryCall<object, object> | handleServerStreamingCall<object, object>>;

/**
 * Serves gRPC services on a unix socket. A stale socket is replaced. Only the owner of the socket can connect.
 *
 * @returns a handle; `close` ends all calls and deletes the socket
 * @throws Error if another server listens on the path, or the file there is not a socket
 */
export async function serveGrpc(
  socketPath: string,
  services: readonly ServedService[],
): Promise<{ close(): Promise<void> }> {
  checkSocketPath(socketPath);
  const grpc = await import("@grpc/grpc-js");
  await removeStaleSocket(socketPath);
  const maxMessageBytes = 16 * 1024 * 1024;
  const server = new grpc.Server({
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
  });
  for (const service of services) addService(server, service);
  // The socket must not be accessible even for the short time between bind and chmod: whoever can connect is root on
  // this node.
  const umask = process.umask(0o177);
  try {
    await new Promise<void>((resolve, reject) => {
      server.bindAsync(`unix:${socketPath}`, grpc.ServerCredentials.createInsecure(), (error) =>
        error ? reject(error) : resolve(),
      );
    });
  } finally {
    process.umask(umask);
  }
  return {
    async close() {
      server.forceShutdown();
      await unlink(socketPath).catch(() => undefined);
    },
  };
}

function addService(server: Server, { name: service, methods, handlers }: ServedService): void {
  const definition: Record<string, ServiceDefinition[string]> = {};
  const implementation: Implementation = {};
  for (const [name, { request, response, stream: streams }] of Object.entries(methods)) {
    const handler: unknown = Reflect.get(handlers, name);
    if (typeof handler !== "function") continue;
    definition[name] = {
      path: `/${service}/${wireName(name)}`,
      requestStream: false,
      responseStream: streams,
      requestSerialize: (value: object) => request.encode(value),
      requestDeserialize: (bytes: Buffer) => request.decode(bytes),
      responseSerialize: (value: object) => response.encode(value),
      responseDeserialize: (bytes: Buffer) => response.decode(bytes),
    };
    implementation[name] = streams
      ? stream((signal) => handler.call(handlers, signal))
      : unary((value) => handler.call(handlers, value));
  }
  if (Object.keys(definition).length > 0) server.addService(definition, implementation);
}

const unknownCode = grpcCodes.indexOf("Unknown");

function toStatus(error: unknown): { code: number; details: string } {
  return isCriError(error)
    ? { code: grpcCodes.indexOf(error.code), details: error.details }
    : { code: unknownCode, details: messageOf(error) };
}

function unary(handler: (request: object) => Promise<object> | object): handleUnaryCall<object, object> {
  return (call: ServerUnaryCall<object, object>, callback) => {
    Promise.resolve(call.request)
      .then(handler)
      .then(
        (response) => callback(null, response),
        (error: unknown) => callback(toStatus(error)),
      );
  };
}

function stream(source: (signal: AbortSignal) => AsyncIterable<object>): handleServerStreamingCall<object, object> {
  return (call) => {
    const gone = new AbortController();
    call.on("cancelled", () => gone.abort());
    call.on("close", () => gone.abort());
    void (async () => {
      try {
        for await (const message of source(gone.signal)) call.write(message);
        call.end();
      } catch (error) {
        call.emit("error", toStatus(error));
      }
    })();
  };
}

/** Deletes a socket that no process listens on, which a crash leaves behind. */
async function removeStaleSocket(path: string): Promise<void> {
  const stat = await lstat(path).catch(() => undefined);
  if (stat === undefined) return;
  if (!stat.isSocket()) throw new Error(`Cannot serve gRPC on "${path}": a file that is not a socket is there`);
  const taken = await new Promise<boolean>((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
  if (taken) throw new Error(`Cannot serve gRPC on "${path}": another server listens there`);
  await unlink(path);
}
