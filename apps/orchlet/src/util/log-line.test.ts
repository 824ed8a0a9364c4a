import { expect, test } from "vitest";
import { fixedTime, parseLogLine } from "./log-line.ts";

const time = "2026-01-01T00:00:00.5Z";

test.each([
  [`${time} stdout F hello`, { time, stream: "stdout", partial: false, text: "hello" }],
  [`${time} stderr P half`, { time, stream: "stderr", partial: true, text: "half" }],
  [`${time} stdout F:tag x`, { time, stream: "stdout", partial: false, text: "x" }],
  [`${time} stdout F`, { time, stream: "stdout", partial: false, text: "" }],
  [`${time} stdout F  two spaces`, { time, stream: "stdout", partial: false, text: " two spaces" }],
  [`${time} stdin F x`, undefined],
  [`${time} stdout X x`, undefined],
  ["no entry", undefined],
  ["", undefined],
])("the entry %j is parsed", (line, want) => {
  expect(parseLogLine(line)).toEqual(want);
});

test.each([
  ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000000000Z"],
  ["2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00.500000000Z"],
  ["2026-01-01T00:00:00.123456789123Z", "2026-01-01T00:00:00.123456789Z"],
  ["2026-01-01T00:00:00.25+02:00", "2026-01-01T00:00:00.250000000+02:00"],
])("the time %s is padded to nine digits", (given, want) => {
  expect(fixedTime(given)).toBe(want);
});
