import type { CronSchedule } from "@orchernetes/api/batch/v1";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** No date of a schedule is further away, February 29th around 2100 included. */
const horizonMs = 9 * 366 * dayMs;

/** The time of day and date that clocks of a zone show. */
type WallClock = (atMs: number) => Date;

/** Clocks of an IANA zone, as dates whose UTC fields are what the clocks show. @throws RangeError for no such zone */
export function wallClock(timeZone: string): WallClock {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: timeZone || "UTC",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (atMs) => {
    const part: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(atMs)) part[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part;
    return new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  };
}

/** The first time of the schedule after `afterMs` (milliseconds since 1970); undefined when there is none. */
export function nextTime(schedule: CronSchedule, afterMs: number, clock: WallClock): number | undefined {
  if (schedule.type === "every") return Math.floor(afterMs / 1000) * 1000 + schedule.intervalMs;
  const { minute, hour, dayOfMonth, month, dayOfWeek } = schedule;
  let at = (Math.floor(afterMs / minuteMs) + 1) * minuteMs;
  while (at <= afterMs + horizonMs) {
    const wall = clock(at);
    const inMonth = dayOfMonth.values.has(wall.getUTCDate());
    const inWeek = dayOfWeek.values.has(wall.getUTCDay());
    const day = dayOfMonth.any || dayOfWeek.any ? inMonth && inWeek : inMonth || inWeek;
    const minutes = wall.getUTCMinutes();
    if (!month.values.has(wall.getUTCMonth() + 1) || !day) {
      // To midnight; where clocks change on the way, a bit less, and the rest follows hour by hour.
      const left = dayMs - wall.getUTCHours() * hourMs - minutes * minuteMs;
      at += left > 4 * hourMs ? left - 3 * hourMs : Math.min(left, hourMs - minutes * minuteMs);
    } else if (!hour.values.has(wall.getUTCHours())) at += hourMs - minutes * minuteMs;
    else if (minute.values.has(minutes)) return at;
    else at += minuteMs;
  }
  return undefined;
}
