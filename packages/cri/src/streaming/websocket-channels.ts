import { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";

/** Channel number of the close signal of protocol version 5 (KEP-4006). */
const closeSignal = 255;

/** How channels are encoded on a WebSocket. */
export interface WebSocketChannelsOptions {
  /** Whether messages are base64 text after a channel digit, instead of binary after a channel byte. */
  readonly base64: boolean;
  /** Whether a message on channel 255 closes the channel in its payload. */
  readonly closeSignal: boolean;
  /** Channels that the remote side writes. Its messages on others are dropped: nobody reads them. */
  readonly inputs: ReadonlySet<number>;
  /** Channels whose messages get a newline appended, because message boundaries are lost in a stream. */
  readonly lines?: ReadonlySet<number>;
}

/** Bytes that a channel without a reader may hold before the WebSocket is no longer read. */
const maxUnreadBytes = 1024 * 1024;

/**
 * Splits a WebSocket into channels, and resumes it: each message starts with a channel number. The remote side ends a channel by a
 * close signal or by closing the connection. Ending a channel here sends nothing.
 *
 * @param numbers - the channels; messages for others are dropped
 */
export function webSocketChannels(
  socket: WebSocket,
  numbers: Iterable<number>,
  options: WebSocketChannelsOptions,
): ReadonlyMap<number, Duplex> {
  const channels = new Map<number, Duplex>();
  for (const number of numbers) {
    channels.set(
      number,
      new Duplex({
        allowHalfOpen: true,
        read: () => socket.resume(),
        write: (chunk: Buffer, _encoding, callback) => {
          if (socket.readyState !== socket.OPEN) {
            callback(Object.assign(new Error("WebSocket is closed"), { code: "EPIPE" }));
            return;
          }
          socket.send(encode(number, chunk, options.base64), { binary: !options.base64 }, (error) => callback(error));
        },
      }),
    );
  }
  socket.on("message", (raw) => {
    const { number, data } = decode(raw, options.base64);
    if (number === closeSignal && options.closeSignal) {
      const target = channels.get(data[0] ?? closeSignal);
      if (target !== undefined && !target.destroyed) target.push(null);
      return;
    }
    const channel = channels.get(number);
    // Empty messages are greetings of stock clients and contain no data.
    if (channel === undefined || !options.inputs.has(number)) return;
    if (data.length === 0 || channel.destroyed || channel.readableEnded) return;
    const payload = options.lines?.has(number) ? Buffer.concat([data, Buffer.from("\n")]) : data;
    if (!channel.push(payload) && (hasReader(channel) || channel.readableLength > maxUnreadBytes)) socket.pause();
  });
  socket.on("close", () => {
    for (const channel of channels.values()) if (!channel.readableEnded) channel.push(null);
  });
  socket.on("error", () => {});
  socket.resume();
  return channels;
}

/** Whether a pause ends: a channel that is never read, such as that of a terminal's sizes, must not hold up the others. */
const hasReader = (channel: Duplex): boolean => channel.listenerCount("readable") + channel.listenerCount("data") > 0;

function encode(number: number, data: Buffer, base64: boolean): Buffer | string {
  return base64 ? `${number}${data.toString("base64")}` : Buffer.concat([Buffer.from([number]), data]);
}

function decode(raw: RawData, base64: boolean): { number: number; data: Buffer } {
  const message = Array.isArray(raw) ? Buffer.concat(raw) : raw instanceof ArrayBuffer ? Buffer.from(raw) : raw;
  if (!base64) return { number: message[0] ?? -1, data: message.subarray(1) };
  const text = message.toString("latin1");
  return { number: text.charCodeAt(0) - 48, data: Buffer.from(text.slice(1), "base64") };
}
