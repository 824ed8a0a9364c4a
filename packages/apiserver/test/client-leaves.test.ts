import { once } from "node:events";
import { connect, createServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpRequest, HttpResponse } from "@orchernetes/kernel";
import { expect, test, vi } from "vitest";
import { startServer } from "./harness.ts";

test.each([
  ["a watch", "/apis/toys.example.com/v1/toys?watch=true"],
  ["a watch of the past", "/apis/toys.example.com/v1/toys?watch=true&resourceVersion=1"],
  ["a list", "/apis/toys.example.com/v1/toys"],
])("%s over HTTP/2 whose client left before it began ends", async (_name, path) => {
  let closed: Promise<unknown> = Promise.resolve();
  let completed = 0;
  let begin = (): void => {};
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const server = await startServer({
    authenticators: [
      {
        authenticate: async () => {
          await closed;
          // The close event is over.
          await sleep(5);
          begin();
          return { type: "authenticated", user: { name: "a", groups: ["system:masters"], extra: {} } };
        },
      },
    ],
    onCompleted: () => {
      completed++;
    },
  });
  const http2 = createServer((request, response) => {
    closed = once(request.stream, "close");
    server.server.handleRequest(request as unknown as HttpRequest, response as unknown as HttpResponse);
  });
  await once(http2.listen(0, "127.0.0.1"), "listening");
  const session = connect(`http://127.0.0.1:${(http2.address() as AddressInfo).port}`);
  try {
    const stream = session.request({ ":path": path });
    stream.on("error", () => undefined);
    await once(http2, "request");
    stream.close(8);
    await began;
    await sleep(100);
    await vi.waitFor(() => {
      expect(server.server.storages().map(({ cache }) => cache.watcherCount)).toEqual([0, 0]);
      expect(completed).toBe(1);
    }, 5000);
  } finally {
    session.destroy();
    await new Promise((resolve) => http2.close(resolve));
    await server.stop();
  }
});
