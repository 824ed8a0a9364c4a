import type { Socket } from "node:net";
import type { TaskLane } from "@orchernetes/kernel";

/**
 * Makes a connection wait for its turn to end. When a program with thousands of connections stops, all of them are
 * found closed in one turn of the event loop, and closing each, with its request in flight, takes a part of a
 * millisecond. Both ways to end wait: the peer has sent everything, or the connection is destroyed. `socket.destroyed`
 * is true immediately in any case.
 *
 * This is the only place that replaces methods of an object of Node.js: `push`, which notifies a socket that the peer
 * has sent all data, and `_destroy`, the hook of streams that closes the handle. The server of Node.js creates the
 * sockets, so that they cannot be of a subclass, and everything public comes after the costly part: events are emitted
 * when the handle is already closed, and `pause` has no effect on an HTTP/2 connection (figures in ADR 21). Both
 * methods behave as before once the connection has its turn; the tests beside this file fail if a new version of
 * Node.js calls them differently.
 *
 * @param socket a connection after its TLS handshake
 * @param ends the lane in whose turns connections end
 * @param weight number of connections that it counts as
 */
export function endInTurns(socket: Socket, ends: TaskLane, weight: number): void {
  const { push, _destroy: destroy } = socket;
  socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (chunk !== null) return push.call(socket, chunk, encoding);
    ends.run(() => {
      if (socket.destroyed) return;
      push.call(socket, null);
      // Streams of HTTP connections are not read, because parsers consume the bytes; only a read finds the end.
      socket.read(0);
    }, weight);
    return false;
  };
  socket._destroy = (error, done) => ends.run(() => destroy.call(socket, error, done), weight);
}
