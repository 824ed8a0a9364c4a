import { imageService, runtimeService } from "../v1/services.ts";
import { type Handlers, served, serveGrpc } from "./serve-grpc.ts";

/** Methods of the runtime service that a runtime implements; see {@link Handlers}. */
export type RuntimeHandlers = Handlers<typeof runtimeService>;

/** Methods of the image service that a runtime implements; see {@link Handlers}. */
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
export function serveCri({ socketPath, runtime, images }: ServeCriOptions): Promise<{ close(): Promise<void> }> {
  return serveGrpc(socketPath, [
    served("runtime.v1.RuntimeService", runtimeService, runtime),
    served("runtime.v1.ImageService", imageService, images),
  ]);
}
