import type http2 from "node:http2";
import type { ClientHttp2Session, ClientSessionOptions, SecureClientSessionOptions } from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

type Options = ClientSessionOptions | SecureClientSessionOptions;
type Listener = (session: ClientHttp2Session, socket: Socket | TLSSocket) => void;

/** Time within which a server must send its settings, in milliseconds; as in grpc-go, which the original uses. */
const longestSetUpMs = 20_000;

let hardened: typeof http2.connect | undefined;

/**
 * Protects the HTTP/2 sessions of `node:http2` against their servers, for the library of gRPC, which has no options for it:
 *
 * - Responses that a server pushes are refused, unless the settings of the session accept them. The library does not listen for their
 *   errors, so a server that pushed a response and reset it would end the process.
 * - A session is destroyed if its server does not send its settings in time. The library keeps such a connection for as long as the
 *   server does, even after its client was closed, so each attempt would add one.
 *
 * It must be called before a gRPC client connects. Idempotent. The function of the module is replaced, because the library looks it up
 * whenever it connects. Modules that import `connect` by its name are not affected.
 */
export function hardenHttp2Clients(setUpMs = longestSetUpMs): void {
  // Loaded here, because most users of this package have no HTTP/2 client.
  const module: typeof http2 = process.getBuiltinModule("node:http2");
  const { connect } = module;
  if (connect === hardened) return;
  const harden: typeof connect = (authority: string | URL, options?: Options | Listener, listener?: Listener) => {
    const given = typeof options === "function" ? {} : options;
    const settings = { enablePush: false, ...given?.settings };
    const session = connect(authority, { ...given, settings }, typeof options === "function" ? options : listener);
    limitSetUp(session, setUpMs);
    return session;
  };
  hardened = harden;
  module.connect = harden;
}

function limitSetUp(session: ClientHttp2Session, setUpMs: number): void {
  // Without an error, which would end the process if nobody listened for it: callers see that the session has closed.
  const timer = setTimeout(() => session.destroy(), setUpMs).unref();
  const end = () => clearTimeout(timer);
  session.once("remoteSettings", end).once("close", end);
}
