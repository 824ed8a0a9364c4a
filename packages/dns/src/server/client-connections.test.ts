import { expect, test } from "vitest";
import { ClientConnections, type Connection } from "./client-connections.ts";

function connections(limits: { readonly maxConnections: number; readonly maxPerClient: number }) {
  const open = new ClientConnections(limits);
  const closed: string[] = [];
  const add = (client: string, name: string, activeAtMs: number): Connection => {
    const connection: Connection = { socket: { destroy: () => void closed.push(name) }, activeAtMs };
    open.add(client, connection);
    return connection;
  };
  return { open, closed, add };
}

test("when all places are taken, the idlest connection of the client with most gives way", () => {
  const { open, closed, add } = connections({ maxConnections: 4, maxPerClient: 3 });
  add("many", "many 1", 20);
  add("many", "many 2", 10);
  add("many", "many 3", 30);
  expect(open.hasPlaceFor("many")).toBe(false);
  add("few", "few 1", 1);
  expect(closed).toEqual([]);
  add("new", "new 1", 40);
  expect(closed).toEqual(["many 2"]);
  expect(open.hasPlaceFor("many")).toBe(true);
});

test("a client that would have most of all places gives one of its own, and equals give the idlest of all", () => {
  const { closed, add } = connections({ maxConnections: 2, maxPerClient: 9 });
  add("a", "a 1", 2);
  add("b", "b 1", 1);
  add("a", "a 2", 3);
  expect(closed).toEqual(["a 1"]);
  add("c", "c 1", 0);
  expect(closed).toEqual(["a 1", "b 1"]);
});

test("connections that have ended take no place, and ending twice counts once", () => {
  const { open, closed, add } = connections({ maxConnections: 2, maxPerClient: 9 });
  const first = add("a", "a 1", 1);
  add("a", "a 2", 2);
  open.delete("a", first);
  open.delete("a", first);
  add("b", "b 1", 3);
  expect(closed).toEqual([]);
  add("b", "b 2", 4);
  expect(closed).toHaveLength(1);
});
