import { type Handlers, served, serveGrpc } from "@orchernetes/cri/grpc";
import { controllerService, identityService, nodeService, registrationService } from "./services.ts";

/** The methods that a driver implements. Others respond with `Unimplemented`; a thrown `RpcError` determines the status code. */
export interface CsiHandlers {
  readonly identity: Handlers<typeof identityService>;
  readonly controller: Handlers<typeof controllerService>;
  readonly node: Handlers<typeof nodeService>;
}

/** A server on a socket. */
export interface SocketServer {
  /** Ends all calls and deletes the socket. */
  close(): Promise<void>;
}

/** Serves a driver on a unix socket. @throws Error if another server listens on the path */
export function serveCsi(socketPath: string, { identity, controller, node }: CsiHandlers): Promise<SocketServer> {
  return serveGrpc(socketPath, [
    served("csi.v1.Identity", identityService, identity),
    served("csi.v1.Controller", controllerService, controller),
    served("csi.v1.Node", nodeService, node),
  ]);
}

/** Serves the registration of a plugin on a unix socket. @throws Error if another server listens on the path */
export function serveRegistration(
  socketPath: string,
  handlers: Handlers<typeof registrationService>,
): Promise<SocketServer> {
  return serveGrpc(socketPath, [served("pluginregistration.Registration", registrationService, handlers)]);
}
