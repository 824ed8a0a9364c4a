import { createConnection, type Socket } from "node:net";
import { type DbusMessage, encodeMessage, messageTypes } from "./message.ts";
import { readMessages } from "./message-stream.ts";
import type { DbusValue } from "./signature.ts";

/** A method of an object on the bus, and its arguments. */
export interface BusCall {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  /** @default "" */
  readonly signature?: string;
  /** @default none */
  readonly body?: readonly DbusValue[];
}

/** Which signals are wanted. */
export interface SignalMatch {
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  /**
   * Name of the service that sends it. The bus then delivers no signals of others; those that are addressed to this connection alone,
   * which it delivers in any case, are dropped. @default everybody
   */
  readonly sender?: string;
}

/** A connection to a message bus. */
export interface BusConnection {
  /** Calls a method. @throws DbusError if it fails; Error if the connection ends, or there is no answer within 25 s */
  call(call: BusCall): Promise<readonly DbusValue[]>;
  /** Subscribes to signals; resolves when they are delivered. @throws as {@link call} */
  subscribe(match: SignalMatch, listener: (body: readonly DbusValue[]) => void): Promise<void>;
  /** Resolves when the connection has ended, with the error if there was one. */
  readonly closed: Promise<unknown>;
  close(): void;
}

/** A method answered with an error. */
export class DbusError extends Error {
  override readonly name = "DbusError";
  /** Such as `org.freedesktop.DBus.Error.ServiceUnknown`. */
  readonly errorName: string;

  constructor(errorName: string, message: string) {
    super(message === "" ? errorName : `${errorName}: ${message}`);
    this.errorName = errorName;
  }
}

/** How long the handshake, and an answer, may take. */
const answerMs = 25_000;
const bus = { destination: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus" };

/**
 * The socket of the system bus.
 *
 * @param address value of DBUS_SYSTEM_BUS_ADDRESS; the first unix socket in it counts. @default /run/dbus/system_bus_socket
 */
export function systemBusSocket(address = process.env.DBUS_SYSTEM_BUS_ADDRESS ?? ""): string {
  const [, path, abstract] = /(?:^|;)unix:(?:[^;]*,)?(?:path=([^,;]+)|abstract=([^,;]+))/.exec(address) ?? [];
  if (abstract !== undefined) return `\0${decodeURIComponent(abstract)}`;
  return path === undefined ? "/run/dbus/system_bus_socket" : decodeURIComponent(path);
}

/**
 * Connects to a bus as the user of this process. Descriptors cannot be passed over it: Node does not receive them.
 *
 * @throws Error if there is no bus at the socket, it refuses this user, or does not answer within 25 s
 */
export async function connectBus(socketPath = systemBusSocket()): Promise<BusConnection> {
  const socket = createConnection(socketPath);
  const { rest } = await authenticate(socket);
  const connection = new Connection(socket, rest);
  try {
    await connection.call({ ...bus, member: "Hello" });
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

/** The handshake: the bus reads the user's id from the socket. */
function authenticate(socket: Socket): Promise<{ readonly rest: Buffer }> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(error);
    };
    const timer = setTimeout(() => fail(new Error("the message bus did not answer the handshake")), answerMs);
    let text = Buffer.alloc(0);
    const onClose = () => fail(new Error("the message bus ended the handshake"));
    const onData = (chunk: Buffer): void => {
      text = Buffer.concat([text, chunk]);
      const end = text.indexOf("\r\n");
      if (end === -1 && text.length < 4096) return;
      const line = text.toString("latin1", 0, end === -1 ? 100 : end);
      if (end === -1 || !line.startsWith("OK ")) {
        fail(new Error(`the message bus refused this user: ${line}`));
        return;
      }
      clearTimeout(timer);
      socket.off("data", onData).off("close", onClose).off("error", fail);
      socket.write("BEGIN\r\n");
      resolve({ rest: text.subarray(end + 2) });
    };
    socket.on("error", fail).on("close", onClose).on("data", onData);
    const user = Buffer.from(String(process.getuid?.() ?? 0)).toString("hex");
    socket.write(`\0AUTH EXTERNAL ${user}\r\n`);
  });
}

interface Waiting {
  readonly resolve: (body: readonly DbusValue[]) => void;
  readonly reject: (error: unknown) => void;
}

class Connection implements BusConnection {
  readonly closed: Promise<unknown>;
  readonly #socket: Socket;
  readonly #calls = new Map<number, Waiting>();
  readonly #subscriptions: { readonly match: SignalMatch; readonly listener: (body: readonly DbusValue[]) => void }[] =
    [];
  #serial = 0;
  #isClosed = false;

  constructor(socket: Socket, rest: Buffer) {
    this.#socket = socket;
    const ended = Promise.withResolvers<unknown>();
    this.closed = ended.promise;
    const end = (error: unknown): void => {
      this.#isClosed = true;
      for (const { reject } of this.#calls.values())
        reject(error ?? new Error("the connection to the message bus has ended"));
      this.#calls.clear();
      ended.resolve(error);
    };
    socket.on("error", end);
    socket.on("close", () => end(undefined));
    readMessages(socket, rest, (message) => this.#receive(message), end);
  }

  async call(call: BusCall): Promise<readonly DbusValue[]> {
    if (this.#isClosed) throw new Error("the connection to the message bus has ended");
    const serial = ++this.#serial;
    const message = encodeMessage({ ...call, type: messageTypes.call, serial });
    const answer = Promise.withResolvers<readonly DbusValue[]>();
    this.#calls.set(serial, answer);
    const timer = setTimeout(() => {
      this.#calls.delete(serial);
      answer.reject(new Error(`${call.destination} did not answer ${call.member} within ${answerMs / 1000} s`));
    }, answerMs);
    this.#socket.write(message);
    return await answer.promise.finally(() => clearTimeout(timer));
  }

  async subscribe(match: SignalMatch, listener: (body: readonly DbusValue[]) => void): Promise<void> {
    this.#subscriptions.push({ match, listener });
    const from = match.sender === undefined ? "" : `,sender='${match.sender}'`;
    const rule = `type='signal',path='${match.path}',interface='${match.interface}',member='${match.member}'${from}`;
    await this.call({ ...bus, member: "AddMatch", signature: "s", body: [rule] });
  }

  close(): void {
    this.#socket.destroy();
  }

  #receive(message: DbusMessage): void {
    const { type, replySerial = 0, errorName = "", body = [] } = message;
    if (type === messageTypes.signal) {
      for (const { match, listener } of this.#subscriptions) if (isMatch(message, match)) listener(body);
      return;
    }
    const waiting = this.#calls.get(replySerial);
    this.#calls.delete(replySerial);
    if (type === messageTypes.reply) waiting?.resolve(body);
    else if (type === messageTypes.error)
      waiting?.reject(new DbusError(errorName, typeof body[0] === "string" ? body[0] : ""));
  }
}

/** Whether a signal is one of those that are wanted. */
const isMatch = (signal: DbusMessage, { path, interface: of, member, sender }: SignalMatch): boolean =>
  signal.path === path &&
  signal.interface === of &&
  signal.member === member &&
  (sender === undefined || (signal.destination ?? "") === "");
