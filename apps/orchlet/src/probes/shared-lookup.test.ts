import type { LookupAddress } from "node:dns";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, test } from "vitest";
import { createSharedLookup } from "./shared-lookup.ts";

/** A look-up whose names have no address until `answer` is called. */
function names(most?: number) {
  const asked: string[] = [];
  const answer = Promise.withResolvers<LookupAddress[]>();
  const lookup = createSharedLookup((name) => {
    asked.push(name);
    return answer.promise;
  }, most);
  const find = (name: string, options: object = {}) =>
    new Promise((resolve) => lookup(name, options, (error, found) => resolve(error?.message ?? found)));
  return { asked, answer: answer.resolve, find };
}

test("concurrent lookups of a name are shared, even if its name server does not respond", async () => {
  const { asked, answer, find } = names();
  const found = Array.from({ length: 1000 }, () => find("slow.example"));
  expect(asked).toEqual(["slow.example"]);
  answer([{ address: "192.0.2.1", family: 4 }]);
  expect(new Set(await Promise.all(found))).toEqual(new Set(["192.0.2.1"]));
  await find("slow.example");
  expect(asked).toHaveLength(2);
});

test("the number of concurrent lookups is limited", async () => {
  const { asked, find } = names(2);
  void find("a.example");
  void find("b.example");
  expect(await find("c.example")).toMatch(/^lookup c\.example: 2 other names/);
  expect(asked).toEqual(["a.example", "b.example"]);
});

test("addresses have the requested family, one or all", async () => {
  const { answer, find } = names();
  answer([
    { address: "192.0.2.1", family: 4 },
    { address: "2001:db8::1", family: 6 },
  ]);
  expect(await find("a", { family: 6 })).toBe("2001:db8::1");
  expect(await find("a", { all: true, family: 4 })).toEqual([{ address: "192.0.2.1", family: 4 }]);
  expect(await find("a", { all: true })).toHaveLength(2);
});

test("connections to a host name use the shared lookup", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  try {
    const socket = connect({
      host: "localhost",
      port: (server.address() as AddressInfo).port,
      lookup: createSharedLookup(),
    });
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    socket.destroy();
  } finally {
    server.close();
  }
});
