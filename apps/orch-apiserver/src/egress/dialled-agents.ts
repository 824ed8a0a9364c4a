import http, { type AgentOptions, type ClientRequestArgs } from "node:http";
import https, { type RequestOptions, type AgentOptions as TlsAgentOptions } from "node:https";
import type { Duplex } from "node:stream";
import type { ConnectionOptions } from "node:tls";
import type { Dialer, DialTarget } from "@orchernetes/kernel";
import { dialTls } from "./tls-over.ts";

/** Options of a request over one of these agents, in addition to those of node:http. */
export interface DialledRequest {
  /**
   * Ends the attempt to connect for this request. Without it, a request that is destroyed ends only when its connection is open, because
   * node:http waits for that.
   */
  readonly dialSignal?: AbortSignal;
}

type Created = (error: Error | null, socket: Duplex) => void;

/** Creates a pool of TLS connections, which `dial` opens; without it they are opened directly. */
export function httpsAgent(dial: Dialer | undefined, options: TlsAgentOptions): https.Agent {
  return dial === undefined ? new https.Agent(options) : new DialledHttpsAgent(dial, options);
}

/** Creates a pool of connections without TLS, which `dial` opens. Without it the result is undefined: the pool of the process is used. */
export function httpAgent(dial: Dialer | undefined, options: AgentOptions = {}): http.Agent | undefined {
  return dial && new DialledHttpAgent(dial, options);
}

/** An agent whose TLS connections a dialer opens. */
class DialledHttpsAgent extends https.Agent {
  readonly #dial: Dialer;

  constructor(dial: Dialer, options: TlsAgentOptions) {
    super(options);
    this.#dial = dial;
  }

  override createConnection(options: RequestOptions & DialledRequest, created?: Created): undefined {
    // The options of the request must not reach TLS, which would take the path for that of a unix socket.
    const { path: _, socketPath: _none, dialSignal, ...tls } = options;
    settle(dialTls(this.#dial, targetOf(options), tls as ConnectionOptions, dialSignal), created);
  }
}

/** An agent whose connections a dialer opens. */
class DialledHttpAgent extends http.Agent {
  readonly #dial: Dialer;

  constructor(dial: Dialer, options: AgentOptions) {
    super(options);
    this.#dial = dial;
  }

  override createConnection(options: ClientRequestArgs & DialledRequest, created?: Created): undefined {
    settle(this.#dial(targetOf(options), options.dialSignal), created);
  }
}

function targetOf({ host, port }: { readonly host?: string | null | undefined; readonly port?: unknown }): DialTarget {
  return { host: host ?? "localhost", port: Number(port) };
}

function settle(opening: Promise<Duplex>, created: Created | undefined): void {
  opening.then(
    (socket) => (created === undefined ? socket.destroy() : created(null, socket)),
    // With an error, node:http ignores the socket.
    (error: Error) => created?.(error, undefined as unknown as Duplex),
  );
}
