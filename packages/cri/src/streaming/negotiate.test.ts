import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { negotiate, spdyCommandProtocols, webSocketCommandProtocols, webSocketForwardProtocols } from "./negotiate.ts";
import { terminalSizes } from "./terminal-sizes.ts";

test.each([
  [
    "the client's first choice",
    "v4.channel.k8s.io, v3.channel.k8s.io",
    spdyCommandProtocols,
    "v4.channel.k8s.io",
    4,
    false,
  ],
  [
    "the first that is known",
    "v9.channel.k8s.io,v2.channel.k8s.io",
    spdyCommandProtocols,
    "v2.channel.k8s.io",
    2,
    false,
  ],
  [
    "one of several lines",
    ["v9.channel.o8s.io", "v3.channel.o8s.io"],
    spdyCommandProtocols,
    "v3.channel.o8s.io",
    3,
    false,
  ],
  ["a name without a version", "channel.k8s.io", spdyCommandProtocols, "channel.k8s.io", 1, false],
  ["no name at all", undefined, spdyCommandProtocols, "", 1, false],
  ["an empty header", " , ", spdyCommandProtocols, "", 1, false],
  ["text in base64", "v4.base64.channel.k8s.io", webSocketCommandProtocols, "v4.base64.channel.k8s.io", 4, true],
  [
    "text in base64 without a version",
    "base64.channel.k8s.io",
    webSocketCommandProtocols,
    "base64.channel.k8s.io",
    1,
    true,
  ],
  [
    "the latest over WebSocket",
    "v5.channel.k8s.io,v4.channel.k8s.io",
    webSocketCommandProtocols,
    "v5.channel.k8s.io",
    5,
    false,
  ],
])("of subprotocols, %s is chosen", (_, offered, supported, name, version, base64) => {
  expect(negotiate(offered, supported)).toEqual({ name, version, base64 });
});

test.each([
  ["v5.channel.k8s.io", spdyCommandProtocols],
  ["v5.channel.k8s.io", webSocketForwardProtocols],
  ["channel.example.com", spdyCommandProtocols],
  ["v4.channel.k8s.io.example.com", spdyCommandProtocols],
])("where only %s is offered, none is chosen", (offered, supported) => {
  expect(negotiate(offered, supported)).toBeUndefined();
});

async function sizesOf(...chunks: readonly string[]): Promise<readonly string[]> {
  const sizes: string[] = [];
  for await (const { width, height } of terminalSizes(Readable.from(chunks.map((chunk) => Buffer.from(chunk))))) {
    sizes.push(`${width}x${height}`);
  }
  return sizes;
}

test.each([
  ["a line", ['{"Width":80,"Height":24}\n'], ["80x24"]],
  ["several lines in a chunk", ['{"Width":80,"Height":24}\n{"Width":1,"Height":65535}\n'], ["80x24", "1x65535"]],
  ["a line in several chunks", ['{"Width":8', '0,"Height', '":24}', "\n"], ["80x24"]],
  ["a line without an end", ['{"Width":80,"Height":24}'], []],
  ["zero, which is no size", ['{"Width":0,"Height":24}\n'], []],
  ["more than 16 bits", ['{"Width":65536,"Height":24}\n'], []],
  ["fractions, texts and nothing", ['{"Width":1.5,"Height":2}\n{"Width":"80","Height":24}\nnull\n[]\n7\n\n'], []],
  ["nonsense before a size", ['nonsense\n{"Width":80,"Height":24}\n'], ["80x24"]],
  ["a line without measure before a size", ["x".repeat(10_000), "x\n", '{"Width":80,"Height":24}\n'], ["80x24"]],
])("sizes of a terminal: %s", async (_, chunks, want) => {
  expect(await sizesOf(...chunks)).toEqual(want);
});

test("sizes end quietly with a connection that breaks, and there are none without a channel", async () => {
  const broken = async function* (): AsyncGenerator<Buffer> {
    yield Buffer.from('{"Width":80,"Height":24}\n');
    throw new Error("reset");
  };
  const sizes: unknown[] = [];
  for await (const size of terminalSizes(Readable.from(broken()))) sizes.push(size);
  for await (const size of terminalSizes(undefined)) sizes.push(size);
  expect(sizes).toEqual([{ width: 80, height: 24 }]);
});
