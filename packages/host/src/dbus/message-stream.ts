import type { Socket } from "node:net";
import { type DbusMessage, decodeMessage, messageBytes } from "./message.ts";

/**
 * Reads messages from a connection whose handshake is over.
 *
 * @param rest what was read of it already
 * @param onError called once with what cannot be read; the connection is destroyed
 */
export function readMessages(
  socket: Socket,
  rest: Buffer,
  onMessage: (message: DbusMessage) => void,
  onError: (error: unknown) => void,
): void {
  let waiting = rest;
  const read = (): void => {
    try {
      for (
        let size = messageBytes(waiting);
        size !== undefined && waiting.length >= size;
        size = messageBytes(waiting)
      ) {
        const message = decodeMessage(waiting.subarray(0, size));
        waiting = waiting.subarray(size);
        onMessage(message);
      }
    } catch (error) {
      socket.destroy();
      onError(error);
    }
  };
  socket.on("data", (chunk: Buffer) => {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    read();
  });
  read();
}
