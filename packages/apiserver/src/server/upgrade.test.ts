import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { badRequest } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { refuseUpgrade } from "./upgrade.ts";

/** Two ends of a connection; the server's is as the HTTP parser leaves it: nobody reads. */
async function connection(): Promise<{ readonly client: Socket; readonly served: Socket; readonly close: () => void }> {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true });
  const [served] = (await once(server, "connection")) as [Socket];
  return { client, served, close: () => server.close() };
}

const closed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.destroyed) resolve();
    else socket.once("close", () => resolve());
  });

const { status } = badRequest("no such stream");

test("a refusal is answered in full, whatever else the client has sent", async () => {
  const { client, served, close } = await connection();
  client.end("x".repeat(100_000));
  expect(refuseUpgrade(served, status)).toBe(400);
  expect(refuseUpgrade(served, status)).toBe(400);
  expect(await text(client)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*\r\n\r\n\{.*no such stream.*\}$/s);
  await closed(served);
  close();
});

test.each([
  ["breaks off", (client: Socket) => void client.resetAndDestroy()],
  ["closes", (client: Socket) => void client.resume().end()],
  ["never closes", () => undefined],
])("the socket is gone when the client %s", async (_, leave) => {
  const { client, served, close } = await connection();
  served.on("error", () => undefined);
  refuseUpgrade(served, status, 300);
  leave(client);
  await closed(served);
  expect(served.destroyed).toBe(true);
  client.destroy();
  close();
});
