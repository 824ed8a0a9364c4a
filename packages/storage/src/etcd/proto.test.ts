import { describe, expect, test } from "vitest";
import { bigintField, bytesField, encode, intField, messageField, ProtoReader } from "./proto.ts";

describe("protobuf fields", () => {
  test.each([0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER])("integer %d", (value) => {
    const reader = new ProtoReader(encode([intField(3, value)]));
    expect([reader.field(), reader.varint(), reader.field()]).toEqual([3, value, 0]);
  });

  test.each([0n, 127n, 128n, 2n ** 53n + 1n, 2n ** 63n - 1n, -1n])("64-bit integer %d", (value) => {
    const reader = new ProtoReader(encode([bigintField(2, value)]));
    expect([reader.field(), reader.bigint(), reader.field()]).toEqual([2, value, 0]);
  });

  test("messages, with unwanted fields passed over", () => {
    const long = Buffer.alloc(300, 7);
    const bytes = encode([
      bytesField(1, Buffer.from("skipped")),
      intField(2, 300),
      messageField(3, [bytesField(1, long), intField(2, 5)]),
    ]);
    const reader = new ProtoReader(bytes);
    reader.field();
    reader.skip();
    reader.field();
    reader.skip();
    expect(reader.field()).toBe(3);
    const inner = new ProtoReader(reader.bytes());
    expect([inner.field(), inner.bytes(), inner.field(), inner.varint(), inner.field()]).toEqual([1, long, 2, 5, 0]);
  });

  test("refuses truncated input", () => {
    const bytes = encode([bytesField(1, Buffer.alloc(20))]);
    const reader = new ProtoReader(bytes.subarray(0, 10));
    reader.field();
    expect(() => reader.bytes()).toThrow(RangeError);
  });
});
