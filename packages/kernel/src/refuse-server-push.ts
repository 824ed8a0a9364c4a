import type http2 from "node:http2";
import type { ClientHttp2Session, ClientSessionOptions, SecureClientSessionOptions } from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

type Options = ClientSessionOptions | SecureClientSessionOptions;
type Listener = (session: ClientHttp2Session, socket: Socket | TLSSocket) => void;

let refusing: typeof http2.connect | undefined;

/**
 * Has HTTP/2 sessions of `node:http2` refuse the responses that a server pushes, unless their own settings accept them. The library of
 * gRPC has no option for that and does not listen to the errors of such responses, so that a server that pushes one and resets it ends
 * the process. It must be called before a gRPC client connects. Idempotent.
 *
 * The function of the module is replaced, because the library looks it up whenever it connects. Modules that import `connect` by its name
 * are not affected.
 */
export function refuseServerPush(): void {
  // Loaded here, because most users of this package have no HTTP/2 client.
  const module: typeof http2 = process.getBuiltinModule("node:http2");
  const { connect } = module;
  if (connect === refusing) return;
  const refuse: typeof connect = (authority: string | URL, options?: Options | Listener, listener?: Listener) => {
    const given = typeof options === "function" ? {} : options;
    const settings = { enablePush: false, ...given?.settings };
    return connect(authority, { ...given, settings }, typeof options === "function" ? options : listener);
  };
  refusing = refuse;
  module.connect = refuse;
}
