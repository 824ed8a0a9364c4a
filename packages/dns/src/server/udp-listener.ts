import dgram from "node:dgram";
import net from "node:net";
import type { Answerer } from "./answerer.ts";

/** Answers that wait for the network, above which packets are dropped: the clients ask again. */
const MAX_QUEUED = 10_000;

/** A port that answers. */
export interface Listener {
  /** The port's number, which the system chose if 0 was given. */
  readonly port: number;
  /** Called once when the port can no longer be used; not after {@link close}. */
  onFailed(callback: (error: unknown) => void): void;
  close(): Promise<void>;
}

/**
 * Answers packets over UDP.
 *
 * @throws Error with a code of the system, such as EADDRINUSE, when the port cannot be opened
 */
export async function listenOnUdp(
  answerer: Answerer,
  {
    address,
    port,
    onOverload,
    isAdmitted,
  }: {
    readonly address: string;
    readonly port: number;
    readonly onOverload: () => void;
    readonly isAdmitted: (client: string) => boolean;
  },
): Promise<Listener> {
  const family = net.isIP(address) === 6 ? 6 : 4;
  const socket = dgram.createSocket({ type: family === 6 ? "udp6" : "udp4", ipv6Only: family === 6 });
  const send = (answer: Buffer, to: dgram.RemoteInfo) => {
    if (socket.getSendQueueCount() >= MAX_QUEUED) return onOverload();
    // Errors are of the client: an address or port that cannot be reached.
    socket.send(answer, to.port, to.address, () => undefined);
  };
  let closed = false;
  socket.on("message", (packet, from) => {
    if (!isAdmitted(from.address)) return;
    const answer = answerer.answer(packet, { address: from.address, family, protocol: "udp" });
    // A port of 0 is forged; nothing can be sent there.
    if (answer === undefined || from.port === 0) return;
    if (Buffer.isBuffer(answer)) send(answer, from);
    else answer.then((late) => (closed ? undefined : send(late, from))).catch(onOverload);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once("error", reject);
    socket.bind({ address, port, exclusive: true }, () => {
      socket.off("error", reject);
      resolve();
    });
  });
  let failed: (error: unknown) => void = () => undefined;
  socket.on("error", (error) => failed(error));
  return {
    port: socket.address().port,
    onFailed(callback) {
      failed = callback;
    },
    close() {
      closed = true;
      failed = () => undefined;
      return new Promise((resolve) => socket.close(() => resolve()));
    },
  };
}
