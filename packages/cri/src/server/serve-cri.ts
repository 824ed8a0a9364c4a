import { lstat, unlink } from "node:fs/promises";
import { connect } from "node:net";
import type { handleServerStreamingCall, handleUnaryCall, ServerUnaryCall, ServiceDefinition } from "@grpc/grpc-js";
import { grpcCodes, isCriError } from "../client/cri-error.ts";
import { checkSocketPath } from "../client/socket-path.ts";
import { createCodecs } from "../v1/codec.ts";
import type { ContainerEventResponse } from "../v1/events.ts";
import {
  type ImageServiceMethods,
  imageServiceMethods,
  type MethodSpec,
  type RuntimeServiceMethods,
  runtimeServiceMethods,
} from "../v1/services.ts";
import type { Init } from "../v1/spec.ts";

type Handlers<M extends { [K in keyof M]: [object, object] }> = {
  readonly [K in keyof M]?: (request: M[K][0]) => Promise<Init<M[K][1]>> | Init<M[K][1]>;
};

/** Methods of the runtime service that a runtime has; others answer `Unimplemented`. Throw `CriError` for a code. */
export interface RuntimeHandlers extends Handlers<RuntimeServiceMethods> {
  /** Events until the client leaves, which aborts the signal. */
  readonly getContainerEvents?: (signal: AbortSignal) => AsyncIterable<ContainerEventResponse>;
}

/** Methods of the image service that a runtime has; others answer `Unimplemented`. */
export type ImageHandlers = Handlers<ImageServiceMethods>;

/** What to serve where. */
export interface ServeCriOptions {
  /** Path of the unix socket; a stale one is replaced. Only its owner may connect. */
  readonly socketPath: string;
  readonly runtime: RuntimeHandlers;
  readonly images: ImageHandlers;
}

/**
 * Serves CRI v1 on a unix socket.
 *
 * @throws Error when the path is in use by another server, or is no socket
 */
export async function serveCri(options: ServeCriOptions): Promise<{ close(): Promise<void> }> {
  const { socketPath, runtime, images } = options;
  checkSocketPath(socketPath);
  const grpc = await import("@grpc/grpc-js");
  await removeStaleSocket(socketPath);
  const codec = createCodecs();
  const maxMessageBytes = 16 * 1024 * 1024;
  const server = new grpc.Server({
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_send_message_length": maxMessageBytes,
  });

  function toStatus(error: unknown): { code: number; details: string } {
    const details = error instanceof Error ? error.message : String(error);
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

  function add(service: string, methods: Readonly<Record<string, MethodSpec>>, handlers: object): void {
    const definition: Record<string, ServiceDefinition[string]> = {};
    const implementation: Record<string, handleUnaryCall<object, object> | handleServerStreamingCall<object, object>> =
      {};
    for (const [name, { request, response, stream: streams = false }] of Object.entries(methods)) {
      const handler: unknown = Reflect.get(handlers, name);
      if (typeof handler !== "function") continue;
      definition[name] = {
        path: `/runtime.v1.${service}/${name.charAt(0).toUpperCase()}${name.slice(1)}`,
        requestStream: false,
        responseStream: streams,
        requestSerialize: (value: object) => codec(request).encode(value),
        requestDeserialize: (bytes: Buffer) => codec(request).decode(bytes),
        responseSerialize: (value: object) => codec(response).encode(value),
        responseDeserialize: (bytes: Buffer) => codec(response).decode(bytes),
      };
      implementation[name] = streams
        ? stream((signal) => handler.call(handlers, signal))
        : unary((value) => handler.call(handlers, value));
    }
    if (Object.keys(definition).length > 0) server.addService(definition, implementation);
  }

  add("RuntimeService", runtimeServiceMethods, runtime);
  add("ImageService", imageServiceMethods, images);
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
