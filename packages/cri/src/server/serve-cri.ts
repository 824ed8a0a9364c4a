import { lstat, unlink } from "node:fs/promises";
import { connect } from "node:net";
import type { handleServerStreamingCall, handleUnaryCall, ServerUnaryCall, ServiceDefinition } from "@grpc/grpc-js";
import { messageOf } from "@orchernetes/kernel";
import { grpcCodes, isCriError } from "../client/cri-error.ts";
import { checkSocketPath } from "../client/unix-socket.ts";
import type { Init } from "../v1/message.ts";
import { imageService, type Method, type Methods, runtimeService, wireName } from "../v1/services.ts";

type Handler<M> =
  M extends Method<infer Request, infer Response, infer Stream>
    ? Stream extends true
      ? /** @param signal - aborted when the client disconnects */ (signal: AbortSignal) => AsyncIterable<Response>
      : (request: Request) => Promise<Init<Response>> | Init<Response>
    : never;

type Handlers<M extends Methods> = { readonly [K in keyof M]?: Handler<M[K]> };

/**
 * Methods of the runtime service that a runtime implements. Others respond with `Unimplemented`. A thrown `CriError`
 * determines the status code.
 */
export type RuntimeHandlers = Handlers<typeof runtimeService>;

/** Methods of the image service that a runtime implements. Others respond with `Unimplemented`. */
export type ImageHandlers = Handlers<typeof imageService>;

/** Services, and the socket to serve them on. */
export interface ServeCriOptions {
  /** Path of the unix socket. A stale one is replaced. Only its owner can connect. */
  readonly socketPath: string;
  readonly runtime: RuntimeHandlers;
  readonly images: ImageHandlers;
}

/**
 * Serves CRI v1 on a unix socket.
 *
 * @returns a handle; `close` ends all calls and deletes the socket
 * @throws Error if another server listens on the path, or the file there is not a socket
 */
export async function serveCri(options: ServeCriOptions): Promise<{ close(): Promise<void> }> {
  const { socketPath, runtime, images } = options;
  checkSocketPath(socketPath);
  const grpc = await import("@grpc/grpc-js");
  await removeStaleSocket(socketPath);
  const maxMessageBytes = 16 * 1024 * 1024;
  const server = new grpc.Server({
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
  });

  function toStatus(error: unknown): { code: number; details: string } {
    const details = messageOf(error);
    return isCriError(error)
      ? { code: grpcCodes.indexOf(error.code), details: error.details }
      : { code: grpc.status.UNKNOWN, details };
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

  function add(service: string, methods: Methods, handlers: object): void {
    const definition: Record<string, ServiceDefinition[string]> = {};
    const implementation: Record<string, handleUnaryCall<object, object> | handleServerStreamingCall<object, object>> =
      {};
    for (const [name, { request, response, stream: streams }] of Object.entries(methods)) {
      const handler: unknown = Reflect.get(handlers, name);
      if (typeof handler !== "function") continue;
      definition[name] = {
        path: `/runtime.v1.${service}/${wireName(name)}`,
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

  add("RuntimeService", runtimeService, runtime);
  add("ImageService", imageService, images);
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

/** Deletes a socket that no process listens on, which a crash leaves behind. */
async function removeStaleSocket(path: string): Promise<void> {
  const stat = await lstat(path).catch(() => undefined);
  if (stat === undefined) return;
  if (!stat.isSocket()) throw new Error(`Cannot serve CRI on "${path}": a file that is not a socket is there`);
  const taken = await new Promise<boolean>((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
  if (taken) throw new Error(`Cannot serve CRI on "${path}": another server listens there`);
  await unlink(path);
}
