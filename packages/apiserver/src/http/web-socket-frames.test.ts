import { expect, test } from "vitest";
import { acceptKey, ClientFrames, messageFrame, opcodes } from "./web-socket-frames.ts";

/** A frame as clients send it: masked. */
function masked(opcode: number, payload: Buffer): Buffer {
  const frame = messageFrame(opcode, payload);
  const size = frame.length - payload.length;
  const head = Buffer.from(frame.subarray(0, size));
  head[1] = (head[1] ?? 0) | 0x80;
  const mask = Buffer.of(1, 2, 3, 4);
  return Buffer.concat([head, mask, Buffer.from(payload.map((byte, i) => byte ^ (mask[i % 4] ?? 0)))]);
}

const conversation = Buffer.concat([
  masked(opcodes.text, Buffer.from("hello")),
  masked(opcodes.binary, Buffer.alloc(70_000, 1)),
  masked(opcodes.ping, Buffer.from("are you there")),
  masked(opcodes.binary, Buffer.alloc(300)),
  masked(opcodes.pong, Buffer.alloc(0)),
  masked(opcodes.close, Buffer.of(3, 232)),
]);

test.each([1, 2, 7, 1000, conversation.length])("signals are found between messages, in pieces of %i bytes", (size) => {
  const frames = new ClientFrames();
  const found = [];
  for (let at = 0; at < conversation.length; at += size)
    found.push(...frames.read(conversation.subarray(at, at + size)));
  expect(found).toEqual([{ type: "ping", payload: Buffer.from("are you there") }, { type: "close" }]);
});

test.each([
  ["a frame without mask", messageFrame(opcodes.text, Buffer.from("a"))],
  ["a long control frame", masked(opcodes.ping, Buffer.alloc(126))],
])("%s is refused", (_, bytes) => {
  expect(new ClientFrames().read(bytes)).toEqual([{ type: "broken" }]);
});

test("the key of a handshake gets the response of RFC 6455", () => {
  expect(acceptKey("dGhlIHNhbXBsZSBub25jZQ==")).toBe("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
});
