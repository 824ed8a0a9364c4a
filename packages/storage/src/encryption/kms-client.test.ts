import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { KmsClient } from "./kms-client.ts";

/** The setting of HTTP/2 by which a client refuses pushed responses: number 2 is 0. */
const refusesPush = Buffer.from([0, 2, 0, 0, 0, 0]);

test("a plugin cannot push responses, whose errors would end the server", async () => {
  const dir = mkdtempSync(join(tmpdir(), "o8s-kms-"));
  const received = Promise.withResolvers<Buffer>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("data", received.resolve);
  });
  await new Promise<void>((resolve) => server.listen(join(dir, "kms.sock"), resolve));
  const client = new KmsClient({ name: "vault", endpoint: `unix://${join(dir, "kms.sock")}`, timeoutMs: 5000 });
  const rpc = { path: "/v2.KeyManagementService/Status", encode: () => Buffer.alloc(0), decode: () => ({}) };
  const call = client.call(rpc, {}).catch((error: unknown) => error);
  expect((await received.promise).includes(refusesPush)).toBe(true);
  client.close();
  for (const socket of sockets) socket.destroy();
  server.close();
  await call;
  rmSync(dir, { recursive: true });
});
