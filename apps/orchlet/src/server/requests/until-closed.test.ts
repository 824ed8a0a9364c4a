import { createPlainServing } from "@orchernetes/component";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { expect, test } from "vitest";
import { untilClosed } from "./until-closed.ts";

test("a handler ends with its response, and a response ends after four hours", async () => {
  const clock = new FakeClock("2023-06-01T00:00:00Z");
  const ended: string[] = [];
  const begun = Promise.withResolvers<void>();
  const handler = untilClosed((request, response) => {
    response.writeHead(200);
    if (request.url !== "/stream") return void response.end("done");
    response.write("begun");
    begun.resolve();
  }, clock);
  const serving = await createPlainServing(
    { bindAddress: "127.0.0.1", port: 0, logger: silentLogger },
    async (request, response) => {
      await handler(request, response);
      ended.push(request.url ?? "");
    },
  );
  try {
    const url = `http://127.0.0.1:${serving.port}`;
    expect(await (await fetch(`${url}/short`)).text()).toBe("done");
    await expect.poll(() => ended).toEqual(["/short"]);
    const stream = fetch(`${url}/stream`).then((response) => response.text());
    stream.catch(() => undefined);
    await begun.promise;
    clock.advance(4 * 3_600_000 - 1);
    expect(ended).toEqual(["/short"]);
    clock.advance(1);
    await expect(stream).rejects.toThrow();
    await expect.poll(() => ended).toEqual(["/short", "/stream"]);
  } finally {
    await serving.close();
  }
});
