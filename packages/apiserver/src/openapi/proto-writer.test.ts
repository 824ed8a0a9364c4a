import { expect, test } from "vitest";
import { ProtoWriter } from "./proto-writer.ts";

test.each<readonly [string, ProtoWriter, string]>([
  ["nothing", new ProtoWriter(), ""],
  ["text", new ProtoWriter().string(1, "ab"), "0a026162"],
  ["text of several bytes a character", new ProtoWriter().string(1, "ü€"), "0a05c3bce282ac"],
  ["absent and empty text, false", new ProtoWriter().string(1, "").string(2, undefined).bool(3, false), ""],
  ["texts, empty ones too", new ProtoWriter().strings(2, ["a", ""]), "1201611200"],
  ["true", new ProtoWriter().bool(3, true), "1801"],
  ["a field number of two bytes", new ProtoWriter().string(19, "a"), "9a010161"],
  ["an empty message", new ProtoWriter().message(1, new ProtoWriter()), "0a00"],
  [
    "messages in messages",
    new ProtoWriter().message(1, new ProtoWriter().message(2, new ProtoWriter().string(3, "x"))).bool(4, true),
    "0a0512031a01782001",
  ],
])("%s", (_name, writer, hex) => {
  expect(writer.finish().toString("hex")).toBe(hex);
});

test("lengths may have several bytes", () => {
  const text = "x".repeat(20_000);
  const bytes = new ProtoWriter().message(1, new ProtoWriter().string(1, text)).finish();
  expect(bytes.subarray(0, 8).toString("hex")).toBe("0aa49c010aa09c01");
  expect(bytes.length).toBe(20_008);
});
