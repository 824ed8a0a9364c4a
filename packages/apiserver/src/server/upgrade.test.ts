import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { badRequest, unauthorized } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { onAnswerHead, refuseUpgrade } from "./upgrade.ts";

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

test("a rejected client gets the whole response, whatever else it has sent", async () => {
  const { client, served, close } = await connection();
  client.end("x".repeat(100_000));
  expect(refuseUpgrade(served, status)).toBe(400);
  expect(refuseUpgrade(served, status)).toBe(400);
  expect(await text(client)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n.*\r\n\r\n\{.*no such stream.*\}$/s);
  await closed(served);
  close();
});

test("a rejection for missing credentials names the accepted scheme", async () => {
  const { client, served, close } = await connection();
  refuseUpgrade(served, unauthorized().status);
  client.end();
  expect(await text(client)).toMatch(
    /^HTTP\/1\.1 401 Unauthorized\r\n.*\r\nwww-authenticate: Bearer realm="orchernetes"\r\n/s,
  );
  close();
});

test.each<[string, string | Buffer, readonly number[]]>([
  ["an agreement", "HTTP/1.1 101 Switching Protocols\r\n\r\n", [101]],
  ["a refusal as bytes", Buffer.from("HTTP/1.1 403 Forbidden\r\n\r\n"), [403]],
  ["what is no answer", "101", []],
])("the first thing written is reported: %s", async (_, head, want) => {
  const { client, served, close } = await connection();
  const codes: number[] = [];
  onAnswerHead(served, (code) => void codes.push(code));
  served.write(head);
  served.end("HTTP/1.1 500 later");
  expect(await text(client)).toBe(`${head}HTTP/1.1 500 later`);
  expect(codes).toEqual(want);
  client.destroy();
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
