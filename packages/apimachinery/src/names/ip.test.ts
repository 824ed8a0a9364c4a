import { isIP } from "node:net";
import { expect, test } from "vitest";
import { isValidIP, parseCidr, parseIp } from "./ip.ts";

/** Numbers from 0 to 1, always the same ones. */
function sequenceOfNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

test.each([
  ["::", Array(16).fill(0)],
  ["1::", [0, 1, ...Array(14).fill(0)]],
  ["::FFFF", [...Array(14).fill(0), 255, 255]],
  ["1:2:3:4:5:6:7::", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 0]],
  ["1:2:3:4:5:6:1.2.3.4", [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 1, 2, 3, 4]],
  ["64:ff9b::1.2.3.4", [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]],
  ["::ffff:102:304", [1, 2, 3, 4]],
  // Not mapped: the group before is 0.
  ["::1.2.3.4", [...Array(12).fill(0), 1, 2, 3, 4]],
  ["010.1.1.1", [10, 1, 1, 1]],
])("the address %s has the bytes %j", (text, bytes) => {
  expect(parseIp(text)).toEqual(bytes);
});

test.each([
  "1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:8::",
  "::1:2:3:4:5:6:7:8",
  "1:2:3:4::5:6:7:8",
  "1.2.3.4::",
  "::1.2.3",
  "::1.2.3.4:5",
  "1:2:3:4:5:6:7:1.2.3.4",
  ":1::2",
  "1::2:",
  "::g",
  "::-1",
  "[::1]",
  "::1%lo",
  " ::1",
  "0x1.2.3.4",
  "1,2,3,4",
  `${":".repeat(100_000)}`,
])("%j is no address", (text) => {
  expect(parseIp(text)).toBeUndefined();
});

test("texts made of the characters of addresses are judged as Node does, but for leading zeros", () => {
  const random = sequenceOfNumbers(7);
  const pieces = ["1", "9", "25", "255", "256", "a", "ffff", ":", ":", "::", ".", ".", "0"];
  let valid = 0;
  for (let i = 0; i < 20_000; i++) {
    const length = 1 + Math.floor(random() * 15);
    let text = "";
    for (let j = 0; j < length; j++) text += pieces[Math.floor(random() * pieces.length)];
    if (/(^|[.:])0\d*\d/.test(text)) continue;
    const isAddress = isIP(text) !== 0;
    if (isAddress) valid++;
    expect(isValidIP(text).length === 0, text).toBe(isAddress);
  }
  expect(valid).toBeGreaterThan(50);
});

test.each([
  ["10.1.2.3/8", { address: [10, 1, 2, 3], bits: 8 }],
  ["0.0.0.0/0", { address: [0, 0, 0, 0], bits: 0 }],
  ["1.2.3.4/32", { address: [1, 2, 3, 4], bits: 32 }],
  ["::/0", { address: Array(16).fill(0), bits: 0 }],
  ["::/128", { address: Array(16).fill(0), bits: 128 }],
  ["::ffff:1.2.3.4/128", { address: [1, 2, 3, 4], bits: 32 }],
  ["::ffff:1.2.3.4/96", { address: [1, 2, 3, 4], bits: 0 }],
])("the range %s is read", (text, want) => {
  expect(parseCidr(text)).toEqual(want);
});

test.each(["", "/", "1.2.3.4/", "1.2.3.4/-1", "1.2.3.4/+8", "1.2.3.4/8 ", "1.2.3.4/8/8", "1.2.3.4/33", "1.2.3.4/1e1"])(
  "%j is no range",
  (text) => {
    expect(parseCidr(text)).toBeUndefined();
  },
);
