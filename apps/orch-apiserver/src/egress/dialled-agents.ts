import http, { type AgentOptions, type ClientRequestArgs } from "node:http";
import https, { type RequestOptions, type AgentOptions as TlsAgentOptions } from "node:https";
import type { Duplex } from "node:stream";
import type { ConnectionOptions } from "node:tls";
import type { Dialer, DialTarget } from "@orchernetes/kernel";
import { dialTls } from "./tls-over.ts";

/** What a request over one of these agents may say of its connection, beside the options of node:http. */
export interface DialledRequest {
  /**
   * Ends the opening of a connection for the request. Without it, a request that is destroyed has no end before its connection is there:
   * node:http waits for that.
   */
  readonly dialSignal?: AbortSignal;
}

type Created = (error: Error | null, socket: Duplex) => void;

/** A pool of TLS connections, which are opened by `dial`; directly without one. */
export function httpsAgent(dial: Dialer | undefined, options: TlsAgentOptions): https.Agent {
  return dial === undefined ? new https.Agent(options) : new DialledHttpsAgent(dial, options);
}

/** A pool of connections without TLS, which are opened by `dial`; undefined without one: that of the process does. */
export function httpAgent(dial: Dialer | undefined, options: AgentOptions = {}): http.Agent | undefined {
  return dial && new DialledHttpAgent(dial, options);
}

class DialledHttpsAgent extends https.Agent {
  readonly #dial: Dialer;

  constructor(dial: Dialer, options: TlsAgentOptions) {
    super(options);
    this.#dial = dial;
  }

  override createConnection(options: RequestOptions & DialledRequest, created?: Created): undefined {
    // The request's own options do not belong to TLS: a path would be taken for that of a socket.
    const { path: _, socketPath: _none, dialSignal, ...tls } = options;
    settle(dialTls(this.#dial, targetOf(options), tls as ConnectionOptions, dialSignal), created);
  }
}

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
    // On an error nobody looks at the socket.
    (error: Error) => created?.(error, undefined as unknown as Duplex),
  );
}
