import { expect, test } from "vitest";
import { SpdyStream } from "./spdy-stream.ts";

const opened = () =>
  new SpdyStream(1, {}, { send: async () => undefined, reset: () => undefined, consumed: () => undefined });

async function textOf(stream: SpdyStream): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  return text;
}

test.each([false, true])(
  "what arrived right before the connection was lost is read, whether it ended (%s) or not",
  async (fin) => {
    const stream = opened();
    await stream.receive(Buffer.from("outcome"), fin);
    stream.fail(new Error("connection lost"));
    expect(await textOf(stream)).toBe("outcome");
    expect(stream.destroyed).toBe(true);
  },
);

test("a connection that is lost before anything arrived is an error", async () => {
  const stream = opened();
  const text = textOf(stream);
  stream.fail(new Error("connection lost"));
  await expect(text).rejects.toThrow("connection lost");
});
