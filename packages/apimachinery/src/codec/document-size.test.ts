import { expect, test } from "vitest";
import { decodeMessage, encodeMessage } from "../index.ts";
import { int32, list, mapOf, message, optional, string } from "../schema/index.ts";
import { parseJson } from "./json.ts";

const Thing = message("example.com/v1", "Thing", () => ({
  labels: optional(1, mapOf(string)),
  things: optional(2, list(Part)),
  words: optional(3, list(string)),
  numbers: optional(4, list(int32)),
}));
const Part = message("example.com/v1", "Part", () => ({ name: optional(1, string) }));

test.each([
  ["objects", `[${"{},".repeat(150_000)}{}]`, "more than 150000 objects and lists"],
  ["lists", `[${"[],".repeat(150_000)}[]]`, "more than 150000 objects and lists"],
  ["items", `[${'"",'.repeat(150_001)}""]`, "more than 150000 items"],
  ["members", `{${Array.from({ length: 60_001 }, (_, i) => `"${i}":0`).join(",")}}`, "more than 60000 members"],
])("JSON of too many %s is refused", (_, text, reason) => {
  expect(() => parseJson(text)).toThrow(reason);
});

test("an object that is too large is rejected before it is parsed", () => {
  const text = `{"a":"${"x".repeat(100_000)}","b":[${"{},".repeat(150_001)}`;
  expect(() => parseJson(text)).toThrow("more than 150000 objects and lists");
});

test("text that ends in a string is rejected for that reason", () => {
  expect(() => parseJson(`["${"x".repeat(200_000)}`)).toThrow("unexpected end");
  expect(() => parseJson(`["${"x".repeat(200_000)}\\"`)).toThrow("unexpected end");
});

test("everything that a stored object can contain is read", () => {
  expect((parseJson(`[${"{},".repeat(100_000)}{}]`).value as unknown[]).length).toBe(100_001);
});

test("protobuf with too many messages or entries is rejected", { timeout: 60_000 }, () => {
  const parts = Buffer.from("1200".repeat(150_001), "hex");
  expect(() => decodeMessage(Thing, parts)).toThrow("more than 150000 messages");
  expect(() => decodeMessage(Thing, Buffer.from("1a00".repeat(150_001), "hex"))).toThrow("more than 150000 items");
  const packed = Buffer.concat([Buffer.from([0x22, 0xf1, 0x93, 0x09]), Buffer.alloc(150_001)]);
  expect(() => decodeMessage(Thing, packed)).toThrow("more than 150000 items");
  const labels = Object.fromEntries(Array.from({ length: 60_001 }, (_, i) => [`l${i}`, ""]));
  expect(() => decodeMessage(Thing, encodeMessage(Thing, { labels }))).toThrow("more than 60000 messages");
});
