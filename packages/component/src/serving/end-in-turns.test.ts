import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { systemEventLoop, TaskLane } from "@orchernetes/kernel";
import { afterAll, beforeAll, expect, test } from "vitest";
import { endInTurns } from "./end-in-turns.ts";

const accepted: { readonly socket: Socket; readonly ends: TaskLane; readonly turns: (() => void)[] }[] = [];
const server = createServer({ allowHalfOpen: true }, (socket) => {
  const turns: (() => void)[] = [];
  const ends = new TaskLane(
    { ...systemEventLoop, nowMs: () => 0, defer: (callback) => void turns.push(callback) },
    { weight: 2 },
  );
  endInTurns(socket, ends, 1);
  accepted.push({ socket, ends, turns });
});
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(() => void server.close());

async function open() {
  const address = server.address();
  const client = connect({ port: typeof address === "object" && address !== null ? address.port : 0 });
  client.on("error", () => {});
  await once(client, "connect");
  await expect.poll(() => accepted.length).toBe(1);
  const [connection] = accepted.splice(0);
  if (connection === undefined) throw new Error("no connection was accepted");
  const seen: string[] = [];
  for (const event of ["data", "end", "error", "close"]) connection.socket.on(event, () => void seen.push(event));
  /** Takes what the queue has left in this turn, so that the next end has to wait. */
  const fill = () => {
    while (connection.turns.length === 0) connection.ends.run(() => {});
  };
  return { client, seen, fill, ...connection };
}

test.each([
  { name: "sends its end", act: (client: Socket) => void client.end("last words"), want: ["data", "end"] },
  { name: "resets the connection", act: (client: Socket) => void client.resetAndDestroy(), want: ["error", "close"] },
])("a peer that $name is noticed in a later turn", async ({ act, want }) => {
  const { client, socket, seen, fill, ends, turns } = await open();
  fill();
  act(client);
  await expect.poll(() => ends.waiting).toBe(1);
  expect(seen).toEqual(want.slice(0, 1).filter((event) => event === "data"));
  while (turns.length > 0) turns.shift()?.();
  await expect.poll(() => seen).toEqual(want);
  socket.destroy();
  while (turns.length > 0) turns.shift()?.();
  await expect.poll(() => seen.at(-1)).toBe("close");
});

test("a connection destroyed while its end waits is closed once, without an end", async () => {
  const { client, socket, seen, fill, ends, turns } = await open();
  fill();
  client.end();
  await expect.poll(() => ends.waiting).toBe(1);
  socket.destroy();
  expect([socket.destroyed, ends.waiting]).toEqual([true, 2]);
  while (turns.length > 0) turns.shift()?.();
  await expect.poll(() => seen).toEqual(["close"]);
});
