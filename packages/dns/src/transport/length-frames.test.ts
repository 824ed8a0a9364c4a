import { seededNumbers } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { frameOf, LengthFrames } from "./length-frames.ts";

test("messages are the same however the stream is cut", () => {
  const below = seededNumbers(4);
  for (let round = 0; round < 200; round++) {
    const messages = Array.from({ length: 1 + below(6) }, () =>
      Buffer.alloc(below(4) === 0 ? 0 : below(400), below(256)),
    );
    const stream = Buffer.concat(messages.map(frameOf));
    const frames = new LengthFrames();
    const received: Buffer[] = [];
    for (let at = 0; at < stream.length; ) {
      const size = below(3) === 0 ? 1 : 1 + below(300);
      received.push(...frames.push(stream.subarray(at, at + size)));
      at += size;
    }
    expect(received.map((message) => message.toString("hex"))).toEqual(
      messages.map((message) => message.toString("hex")),
    );
  }
});
