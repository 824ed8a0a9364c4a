import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { DbusError } from "../bus-connection.ts";
import { type DbusMessage, encodeMessage, messageTypes } from "../message.ts";
import { readMessages } from "../message-stream.ts";
import type { DbusValue } from "../signature.ts";

/** The result of a method, with its signature. */
interface FakeResult {
  readonly signature: string;
  readonly body: readonly DbusValue[];
}

/** A message bus of one process, whose methods are functions. */
export interface FakeBus {
  readonly socketPath: string;
  /** Calls other than those to the bus itself, in the order of arrival. */
  readonly calls: DbusMessage[];
  /** Number of open connections. */
  connections(): number;
  /** Sends a signal to every connection. @param from with a destination if the signal is addressed to one connection */
  signal(from: Pick<DbusMessage, "path" | "interface" | "member" | "destination">, result: FakeResult): void;
  /** Ends all connections, as a restart would. */
  disconnect(): void;
  close(): Promise<void>;
}

/**
 * Starts a bus. It does not look at match rules: every signal goes to everybody.
 *
 * @param answer the result of a method; undefined: an error `UnknownMethod`; a DbusError: that; another Error: an error `Failed`
 */
export async function startFakeBus(
  socketPath: string,
  answer: (call: DbusMessage) => FakeResult | Error | undefined,
): Promise<FakeBus> {
  const calls: DbusMessage[] = [];
  const sockets = new Set<Socket>();
  let serial = 0;
  const reply = (call: DbusMessage): DbusMessage => {
    const head = { serial: ++serial, replySerial: call.serial, sender: call.destination ?? "" };
    if (call.destination === "org.freedesktop.DBus")
      return call.member === "Hello"
        ? { ...head, type: messageTypes.reply, signature: "s", body: [":1.1"] }
        : { ...head, type: messageTypes.reply };
    calls.push(call);
    const result = answer(call);
    if (result !== undefined && !(result instanceof Error)) return { ...head, type: messageTypes.reply, ...result };
    const errorName =
      result instanceof DbusError
        ? result.errorName
        : `org.freedesktop.DBus.Error.${result === undefined ? "UnknownMethod" : "Failed"}`;
    return {
      ...head,
      type: messageTypes.error,
      errorName,
      signature: "s",
      body: [result?.message ?? "no such method"],
    };
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => undefined);
    let text = Buffer.alloc(0);
    const handshake = (chunk: Buffer): void => {
      text = Buffer.concat([text, chunk]);
      const begin = text.indexOf("BEGIN\r\n");
      if (begin === -1) {
        if (text.includes("AUTH EXTERNAL")) socket.write("OK 0123456789abcdef0123456789abcdef\r\n");
        return;
      }
      socket.off("data", handshake);
      const rest = text.subarray(begin + "BEGIN\r\n".length);
      readMessages(
        socket,
        rest,
        (call) => socket.write(encodeMessage(reply(call))),
        () => undefined,
      );
    };
    socket.on("data", handshake);
  });
  server.listen(socketPath);
  await once(server, "listening");
  return {
    socketPath,
    calls,
    connections: () => sockets.size,
    signal(from, result) {
      const message = encodeMessage({
        ...from,
        ...result,
        type: messageTypes.signal,
        serial: ++serial,
        sender: ":1.0",
      });
      for (const socket of sockets) socket.write(message);
    },
    disconnect() {
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
