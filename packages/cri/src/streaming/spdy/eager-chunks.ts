import type { Readable } from "node:stream";

const maxBufferedBytes = 1024 * 1024;

/**
 * Chunks of a socket, read ahead of the consumer. Stock peers close their socket while input for them is in flight,
 * which resets the connection. Data that Node has not delivered by then would be lost, so this reads data as soon as
 * it arrives, up to 1 MiB ahead. Ends when the socket ends or fails.
 */
export async function* eagerChunks(socket: Readable): AsyncGenerator<Buffer, void> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let ended = socket.destroyed || socket.readableEnded;
  let wake = () => {};
  const onData = (chunk: Buffer) => {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBufferedBytes) socket.pause();
    wake();
  };
  const onEnd = () => {
    ended = true;
    wake();
  };
  socket.on("data", onData);
  socket.on("end", onEnd);
  socket.on("close", onEnd);
  try {
    for (;;) {
      const chunk = chunks.shift();
      if (chunk !== undefined) {
        bytes -= chunk.length;
        if (socket.isPaused() && bytes <= maxBufferedBytes) socket.resume();
        yield chunk;
      } else if (ended) return;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    socket.off("data", onData);
    socket.off("end", onEnd);
    socket.off("close", onEnd);
  }
}
