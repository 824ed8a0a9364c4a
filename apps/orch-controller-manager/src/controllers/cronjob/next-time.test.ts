import { type CronSchedule, parseCronSchedule } from "@orchernetes/api/batch/v1";
import { expect, test } from "vitest";
import { nextTime, type WallClock, wallClock } from "./next-time.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** The model: walks through time in steps that never pass a change of the clocks by more than an hour. */
function nextTimeBySteps(schedule: CronSchedule, afterMs: number, clock: WallClock): number | undefined {
  if (schedule.type === "every") throw new Error("only schedules of the calendar");
  const { minute, hour, dayOfMonth, month, dayOfWeek } = schedule;
  let at = (Math.floor(afterMs / minuteMs) + 1) * minuteMs;
  while (at <= afterMs + 9 * 366 * dayMs) {
    const wall = clock(at);
    const inMonth = dayOfMonth.values.has(wall.getUTCDate());
    const inWeek = dayOfWeek.values.has(wall.getUTCDay());
    const day = dayOfMonth.any || dayOfWeek.any ? inMonth && inWeek : inMonth || inWeek;
    const minutes = wall.getUTCMinutes();
    if (!month.values.has(wall.getUTCMonth() + 1) || !day) {
      const left = dayMs - wall.getUTCHours() * hourMs - minutes * minuteMs;
      at += left > 4 * hourMs ? left - 3 * hourMs : Math.min(left, hourMs - minutes * minuteMs);
    } else if (!hour.values.has(wall.getUTCHours())) at += hourMs - minutes * minuteMs;
    else if (minute.values.has(minutes)) return at;
    else at += minuteMs;
  }
  return undefined;
}

/** Numbers between 0 and 1 that are the same in every run. */
function sequence(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const zones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "America/St_Johns",
  "Asia/Kolkata",
  "Asia/Kathmandu",
  "Australia/Lord_Howe",
  "Pacific/Apia",
  "Africa/Casablanca",
  "America/Sao_Paulo",
];

test("the times are the same as when checking each minute", () => {
  const random = sequence(7);
  const below = (n: number): number => Math.floor(random() * n);
  const field = (min: number, max: number): string => {
    const one = (): number => min + below(max - min + 1);
    return ["*", "*", `${one()}`, `${one()},${one()}`, `*/${1 + below(max - min)}`][below(5)] ?? "*";
  };
  const clocks = zones.map((zone) => [zone, wallClock(zone)] as const);
  for (let i = 0; i < 600; i++) {
    const text = [field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6)].join(" ");
    const [zone, clock] = clocks[i % clocks.length] ?? ["UTC", wallClock("UTC")];
    const afterMs = Date.UTC(2000 + below(40), below(12), 1 + below(28), below(24), below(60), below(60));
    const schedule = parseCronSchedule(text);
    const found = nextTime(schedule, afterMs, clock);
    const what = `${text} in ${zone} after ${new Date(afterMs).toISOString()}`;
    expect([what, found]).toEqual([what, nextTimeBySteps(schedule, afterMs, clock)]);
  }
});

test.each([
  ["a day that was skipped at the date line", "0 0 30 12 *", "Pacific/Apia", "2011-12-20T00:00:00Z"],
  ["the day after it", "0 0 31 12 *", "Pacific/Apia", "2011-06-20T00:00:00Z"],
  ["an hour that was skipped", "30 2 31 3 *", "Europe/Berlin", "2024-01-31T00:00:00Z"],
  ["an hour that comes twice", "30 2 27 10 *", "Europe/Berlin", "2024-01-31T00:00:00Z"],
  ["clocks moved by half an hour", "15 2 * 10 0", "Australia/Lord_Howe", "2024-01-31T00:00:00Z"],
])("%s", (_, text, zone, after) => {
  const [schedule, clock] = [parseCronSchedule(text), wallClock(zone)];
  expect(nextTime(schedule, Date.parse(after), clock)).toBe(nextTimeBySteps(schedule, Date.parse(after), clock));
});

test.each([
  ["0 0 29 2 *", "2096-03-01T00:00:00Z"],
  ["0 0 31 2 *", "2024-01-01T00:00:00Z"],
  ["0 0 30 2 0", "2024-01-01T00:00:00Z"],
  ["59 23 31 12 *", "2024-01-01T00:00:00Z"],
  ["59 23 * * *", "2024-01-01T00:00:00Z"],
  ["59 * * * *", "2024-01-01T00:00:00Z"],
])("%s reads the clock only a few times", (text, after) => {
  const clock = wallClock("Europe/Berlin");
  let looks = 0;
  nextTime(parseCronSchedule(text), Date.parse(after), (at) => {
    looks += 1;
    return clock(at);
  });
  expect(looks).toBeLessThanOrEqual(40);
});
