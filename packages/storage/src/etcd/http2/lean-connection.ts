import { GrpcClientConnection } from "@orchernetes/http2/grpc";
import type { Dialer } from "@orchernetes/kernel";
import { authorityOf, callHeaders, type GrpcConnection, type GrpcTarget } from "./connection.ts";
import { dial } from "./dial.ts";

/** A connection to etcd for many small calls. */
export class LeanConnection extends GrpcClientConnection implements GrpcConnection {
  /** @param dialer opens the connection @default directly */
  constructor(target: GrpcTarget, dialer?: Dialer) {
    super({
      headersOf: (path) => [
        [":method", "POST"],
        [":scheme", target.tls === undefined ? "http" : "https"],
        [":path", path],
        [":authority", authorityOf(target)],
        ...callHeaders(path),
      ],
      dial: (signal, sink) => dial(target, dialer, signal, sink),
    });
  }
}
