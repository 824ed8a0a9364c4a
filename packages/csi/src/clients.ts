import { type Calls, openService } from "@orchernetes/cri/grpc";
import type { Logger } from "@orchernetes/kernel";
import { controllerService, identityService, nodeService, registrationService } from "./services.ts";

/** The services of a driver. All calls reject with `RpcError`. */
export interface CsiClient {
  readonly identity: Calls<typeof identityService>;
  readonly controller: Calls<typeof controllerService>;
  readonly node: Calls<typeof nodeService>;
  /** Closes the connections. Calls in flight and later calls fail with `Canceled`. */
  close(): void;
}

/** How drivers are called. */
export interface CsiClientOptions {
  /** Deadline of a call in ms. @default 120000, as in the original */
  readonly timeoutMs?: number;
  /** Logger for failed calls, at verbosity 4; it gets no part of requests, which may have secrets. */
  readonly logger?: Logger | undefined;
}

/**
 * Opens the services of a driver. The first call connects.
 *
 * @param endpoint - `unix:///path` or an absolute path
 * @throws TypeError when the endpoint is not a unix socket
 */
export function createCsiClient(endpoint: string, options: CsiClientOptions = {}): CsiClient {
  const binding = { timeoutMs: options.timeoutMs ?? 120_000, logger: options.logger };
  const identity = openService(endpoint, "csi.v1.Identity", identityService, binding);
  const controller = openService(endpoint, "csi.v1.Controller", controllerService, binding);
  const node = openService(endpoint, "csi.v1.Node", nodeService, binding);
  return {
    identity: identity.calls,
    controller: controller.calls,
    node: node.calls,
    close() {
      for (const service of [identity, controller, node]) service.close();
    },
  };
}

/** The registration service of a plugin. */
export interface RegistrationClient {
  readonly calls: Calls<typeof registrationService>;
  close(): void;
}

/** Opens the registration service on a socket. @throws TypeError when the path is not absolute */
export function createRegistrationClient(socketPath: string, timeoutMs: number): RegistrationClient {
  return openService(socketPath, "pluginregistration.Registration", registrationService, { timeoutMs });
}
