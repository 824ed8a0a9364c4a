import { expect, test } from "vitest";
import { isTimeZone, parseCronSchedule } from "./cron-schedule.ts";

const sets = (text: string) => {
  const schedule = parseCronSchedule(text);
  if (schedule.type !== "calendar") {
    throw new Error(`${text} is no calendar schedule`);
  }
  const { minute, hour, dayOfMonth, month, dayOfWeek } = schedule;
  return [minute, hour, dayOfMonth, month, dayOfWeek].map(({ values, any }) => (any ? "*" : [...values].join(",")));
};

test.each<[text: string, fields: string[]]>([
  ["* * * * *", ["*", "*", "*", "*", "*"]],
  ["*/20 1-3 ? jan,MAR sun-tue", ["0,20,40", "1,2,3", "*", "1,3", "0,1,2"]],
  ["5/25 0 1 1 0", ["5,30,55", "0", "1", "1", "0"]],
  ["0-10/5 23 31 12 6", ["0,5,10", "23", "31", "12", "6"]],
  ["@hourly", ["0", "*", "*", "*", "*"]],
  ["@weekly", ["0", "0", "*", "*", "0"]],
])("%s", (text, fields) => {
  expect(sets(text)).toEqual(fields);
});

test.each<[text: string, message: string]>([
  ["", "empty spec string"],
  ["nonsense", "expected exactly 5 fields, found 1: [nonsense]"],
  ["60 * * * *", "end of range (60) above maximum (59): 60"],
  ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
  ["5-2 * * * *", "beginning of range (5) beyond end of range (2): 5-2"],
  ["*/0 * * * *", "step of range should be a positive number: */0"],
  ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
  ["1/2/3 * * * *", "too many slashes: 1/2/3"],
  ["x * * * *", 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ["@sometimes", "unrecognized descriptor: @sometimes"],
  ["TZ=Nowhere/Else * * * * *", "provided bad location Nowhere/Else: unknown time zone Nowhere/Else"],
])("%s is rejected", (text, message) => {
  expect(() => parseCronSchedule(text)).toThrow(message);
});

test("intervals and zones", () => {
  expect(parseCronSchedule("@every 1h30m")).toEqual({ type: "every", intervalMs: 5_400_000 });
  expect(parseCronSchedule("CRON_TZ=Europe/Berlin @every 10ms")).toEqual({
    type: "every",
    intervalMs: 1000,
    timeZone: "Europe/Berlin",
  });
  expect(() => parseCronSchedule("@every soon")).toThrow("failed to parse duration @every soon: ");
});

test.each([
  ["Europe/Berlin", true],
  ["Etc/UTC", true],
  ["", true],
  ["Nowhere/Else", false],
  ["+01:00", false],
])("zone %j: %s", (name, known) => {
  expect(isTimeZone(name)).toBe(known);
});
