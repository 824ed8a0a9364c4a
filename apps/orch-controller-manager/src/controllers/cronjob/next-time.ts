import type { CronSchedule } from "@orchernetes/api/batch/v1";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** No date of a schedule is further away, February 29th around 2100 included. */
const horizonMs = 9 * 366 * dayMs;
/** Jumps over days end this long before midnight: the clocks may have changed on the way. */
const marginMs = 3 * hourMs;

type Calendar = Extract<CronSchedule, { readonly type: "calendar" }>;

/** The time of day and date that clocks of a zone show. */
export type WallClock = (atMs: number) => Date;

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

/**
 * The first time of the schedule after `afterMs` (milliseconds since 1970); undefined when there is none within nine years.
 * Reads the clock a few times at most: the date is found in the calendar, the hour and the minute in the schedule.
 */
export function nextTime(schedule: CronSchedule, afterMs: number, clock: WallClock): number | undefined {
  if (schedule.type === "every") return Math.floor(afterMs / 1000) * 1000 + schedule.intervalMs;
  const { minute, hour } = schedule;
  const lastMs = afterMs + horizonMs;
  let at = (Math.floor(afterMs / minuteMs) + 1) * minuteMs;
  while (at <= lastMs) {
    const wall = clock(at);
    const minutes = wall.getUTCMinutes();
    const midnight = nextDate(schedule, wall, lastMs - at);
    if (midnight === undefined) return undefined;
    if (midnight > wall.getTime()) at = towards(midnight, at, wall, clock);
    else if (!hour.values.has(wall.getUTCHours())) at += hourMs - minutes * minuteMs;
    else if (minute.values.has(minutes)) return at;
    else at += (followingMinute(minute.values, minutes) - minutes) * minuteMs;
  }
  return undefined;
}

/**
 * Midnight, by the clock that shows `wall`, of the first date of the schedule from that day on; undefined when it is more
 * than `withinMs` away.
 */
function nextDate({ dayOfMonth, month, dayOfWeek }: Calendar, wall: Date, withinMs: number): number | undefined {
  const today = Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate());
  // A day more than needed: the clock may be moved on the way.
  const last = wall.getTime() + withinMs + dayMs;
  const eitherWillDo = !dayOfMonth.any && !dayOfWeek.any;
  let day = today;
  while (day <= last) {
    const date = new Date(day);
    if (!month.values.has(date.getUTCMonth() + 1)) {
      day = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
      continue;
    }
    const inMonth = dayOfMonth.values.has(date.getUTCDate());
    const inWeek = dayOfWeek.values.has(date.getUTCDay());
    if (eitherWillDo ? inMonth || inWeek : inMonth && inWeek) return day;
    day += dayMs;
  }
  return undefined;
}

/** A later time at which the clock does not show more than `midnight`; as near to it as is certain. */
function towards(midnight: number, at: number, wall: Date, clock: WallClock): number {
  const left = midnight - Math.floor(wall.getTime() / minuteMs) * minuteMs;
  const nextHour = at + Math.min(left, hourMs - wall.getUTCMinutes() * minuteMs);
  let target = at + left - marginMs;
  // Where clocks were moved by a day, such as at the date line, the jump may have gone too far.
  while (target > nextHour && clock(target).getTime() > midnight) target -= dayMs;
  return Math.max(target, nextHour);
}

/** The next minute of the hour that the schedule fires at, or 60. */
function followingMinute(values: ReadonlySet<number>, after: number): number {
  for (let minute = after + 1; minute < 60; minute++) if (values.has(minute)) return minute;
  return 60;
}
