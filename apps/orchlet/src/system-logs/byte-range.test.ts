import { expect, test } from "vitest";
import { byteRange } from "./byte-range.ts";

test.each<[string | undefined, ReturnType<typeof byteRange>]>([
  [undefined, undefined],
  ["bytes=0-9", { start: 0, end: 10 }],
  ["bytes=5-", { start: 5, end: 100 }],
  ["bytes=90-500", { start: 90, end: 100 }],
  ["bytes=-10", { start: 90, end: 100 }],
  ["bytes=-500", { start: 0, end: 100 }],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=100-", "unsatisfiable"],
  ["bytes=9-5", undefined],
  ["bytes=-", undefined],
  ["bytes=0-1,5-6", undefined],
  ["lines=0-1", undefined],
  ["bytes=99999999999999999999-", undefined],
])("%s of 100 bytes is %j", (header, want) => {
  expect(byteRange(header, 100)).toEqual(want);
});
