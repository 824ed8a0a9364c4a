import type { Socket } from "node:net";
import type { TaskLane } from "@orchernetes/kernel";

/**
 * Makes a connection wait for its turn to end. When a program with thousands of connections stops, all of them are found
 * closed in one turn of the event loop, and closing each takes a part of a millisecond, with the request that was in flight.
 * Both ways to end wait: the peer has sent everything, or the connection is destroyed. `socket.destroyed` is true at
 * once all the same.
 *
 * This is the only place that replaces methods of an object of Node: `push`, by which a socket is notified that the peer has sent all data, and
 * `_destroy`, the hook of streams that closes the handle. Node's own server makes the sockets, so that they cannot be of a subclass,
 * and everything that is public comes after the costly part: events are emitted when the handle is closed already, `pause` does
 * nothing to an HTTP/2 connection (figures in ADR 21). Both methods behave as before once the connection has its turn;
 * the tests beside this file fail when a new version of Node calls them in another way.
 *
 * @param socket a connection after its TLS handshake
 * @param ends in whose turns connections end
 * @param weight as how many connections it counts
 */
export function endInTurns(socket: Socket, ends: TaskLane, weight: number): void {
  const { push, _destroy: destroy } = socket;
  socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (chunk !== null) return push.call(socket, chunk, encoding);
    ends.run(() => {
      if (socket.destroyed) return;
      push.call(socket, null);
      // The streams of HTTP connections are not read, because the parsers take the bytes: only a read finds the end.
      socket.read(0);
    }, weight);
    return false;
  };
  socket._destroy = (error, done) => ends.run(() => destroy.call(socket, error, done), weight);
}
