import { connect, type TLSSocket } from "node:tls";
import { getRequest, type Target } from "./http-connection.ts";

/**
 * Opens a watch and passes on its raw bytes, including the lines of HTTP chunks. Resolves when the server has responded.
 * @throws Error if the status is not 200
 */
export function openWatch(target: Target, path: string, onData: (data: Buffer) => void): Promise<TLSSocket> {
  const { host, port, ca } = target;
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, ca, ALPNProtocols: ["http/1.1"] }, () => {
      socket.setNoDelay(true);
      socket.write(getRequest(target, path));
    });
    socket.once("data", (head: Buffer) => {
      const line = head.toString("latin1", 0, 15);
      if (!line.startsWith("HTTP/1.1 200")) {
        reject(new Error(`watch ${path}: answered ${JSON.stringify(line)}, 200 is expected`));
        return;
      }
      socket.on("data", onData);
      onData(head);
      resolve(socket);
    });
    socket.on("error", reject);
  });
}

/** Counts occurrences of a marker in a stream whose pieces may split it. `onHit` gets the bytes after the marker. */
export function createMarkerScanner(marker: string, after: number, onHit: (text: string) => void) {
  const bytes = Buffer.from(marker);
  let carry: Buffer = Buffer.alloc(0);
  return (data: Buffer): void => {
    const piece = carry.length === 0 ? data : Buffer.concat([carry, data]);
    let from = 0;
    for (;;) {
      const at = piece.indexOf(bytes, from);
      if (at < 0) {
        carry = Buffer.from(piece.subarray(Math.max(from, piece.length - bytes.length + 1)));
        return;
      }
      const end = at + bytes.length + after;
      if (end > piece.length) {
        carry = Buffer.from(piece.subarray(at));
        return;
      }
      onHit(piece.toString("latin1", at + bytes.length, end));
      from = end;
    }
  };
}
