import { connect as connectTcp, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { DialSink } from "@orchernetes/http2/grpc";
import type { Dialer } from "@orchernetes/kernel";
import { type GrpcTarget, serverName } from "./connection.ts";

/**
 * Connects to a server, with TLS if it is secure.
 *
 * @param dialer opens the connection; undefined for a direct one
 * @param signal ends the attempt, and then nothing is called
 */
export function dial(target: GrpcTarget, dialer: Dialer | undefined, signal: AbortSignal, sink: DialSink): void {
  const { host, port, tls } = target;
  if (dialer === undefined) {
    const socket = tls === undefined ? connectTcp({ host, port }) : overTls(target, undefined);
    socket.setNoDelay(true);
    awaitSocket(socket, tls === undefined ? "connect" : "secureConnect", signal, sink);
    return;
  }
  dialer({ host, port }, signal).then((raw) => {
    if (signal.aborted) raw.destroy();
    else if (tls === undefined) sink.onSocket(raw);
    else {
      const socket = overTls(target, raw);
      raw.once("close", () => socket.destroy());
      socket.once("close", () => raw.destroy());
      awaitSocket(socket, "secureConnect", signal, sink);
    }
  }, sink.onError);
}

function overTls({ host, port, tls }: GrpcTarget, socket: Duplex | undefined): Socket {
  const way = socket === undefined ? { host, port } : { socket, host };
  return connectTls({ ...way, ALPNProtocols: ["h2"], ...serverName(host), ...tls });
}

function awaitSocket(
  socket: Socket,
  event: "connect" | "secureConnect",
  signal: AbortSignal,
  { onSocket, onError }: DialSink,
): void {
  const onAbort = (): void => {
    settle();
    socket.on("error", () => undefined).destroy();
  };
  const onClose = (): void => onError(new Error("the connection was closed"));
  const settle = (): void => {
    signal.removeEventListener("abort", onAbort);
    socket.off(event, onBegin).off("error", onFailure).off("close", onClose);
  };
  const onBegin = (): void => {
    settle();
    onSocket(socket);
  };
  const onFailure = (error: Error): void => {
    settle();
    onError(error);
  };
  socket.once(event, onBegin).once("error", onFailure).once("close", onClose);
  signal.addEventListener("abort", onAbort, { once: true });
}
