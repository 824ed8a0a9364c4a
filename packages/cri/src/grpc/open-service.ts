import type { Logger } from "@orchernetes/kernel";
import { bindService, type Calls } from "../client/bind-service.ts";
import { DEFAULT_MESSAGE_BYTES, openChannel } from "../client/channel.ts";
import { grpcTarget } from "../client/unix-socket.ts";
import type { Methods } from "../v1/method.ts";

/** A service at an endpoint. */
export interface OpenService<M extends Methods> {
  readonly calls: Calls<M>;
  /** Closes the connection. Calls in flight and later calls fail with `Canceled`. */
  close(): void;
}

/**
 * Opens a service on a unix socket. The first call connects; the connection is made again when the server restarts. Messages of the server
 * have at most 4 MiB, as by default in gRPC.
 *
 * @param endpoint - `unix:///path` or an absolute path
 * @param service - with its package, such as `csi.v1.Node`
 * @param options.timeoutMs deadline of a call without one of its own
 * @throws TypeError when the endpoint is not a unix socket
 */
export function openService<M extends Methods>(
  endpoint: string,
  service: string,
  methods: M,
  options: { readonly timeoutMs: number; readonly logger?: Logger | undefined },
): OpenService<M> {
  const { timeoutMs, logger } = options;
  const channel = openChannel(grpcTarget(endpoint), service, DEFAULT_MESSAGE_BYTES);
  const closed = new AbortController();
  return {
    calls: bindService(channel, methods, { timeoutMs: () => timeoutMs, signal: closed.signal, logger }),
    close() {
      closed.abort();
      channel.close();
    },
  };
}
