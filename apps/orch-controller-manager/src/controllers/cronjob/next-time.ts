import type { CronSchedule } from "@orchernetes/api/batch/v1";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
/** Maximum distance to the next date of a schedule: 2100 is no leap year, so February 29th can be eight years away. */
const horizonMs = 9 * 366 * dayMs;
/** Jumps over days end this long before midnight, because clocks may have been changed (daylight saving) in between. */
const marginMs = 3 * hourMs;

type Calendar = Extract<CronSchedule, { readonly type: "calendar" }>;

/** Converts an instant to the local date and time of a zone. */
export type WallClock = (atMs: number) => Date;

/**
 * The clock of an IANA time zone. The UTC fields of its dates contain the local time.
 *
 * @throws RangeError for an unknown zone
 */
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
 * The first time of the schedule after `afterMs` (milliseconds since the epoch); undefined if there is none within nine
 * years. It reads the clock only a few times, which is slow: the date is found in the calendar, the hour and minute in
 * the schedule.
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
 * Midnight of the first date of the schedule from the day of `wall` on, in local time; undefined if it is more than
 * `withinMs` away. Date and day of the week are alternatives if both are restricted, as in crontab(5).
 */
function nextDate({ dayOfMonth, month, dayOfWeek }: Calendar, wall: Date, withinMs: number): number | undefined {
  const today = Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth(), wall.getUTCDate());
  // One day more than necessary: the clock may be changed in between.
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

/** A later instant at which the local time is not after `midnight`, as close to it as is certain. */
function towards(midnight: number, at: number, wall: Date, clock: WallClock): number {
  const left = midnight - Math.floor(wall.getTime() / minuteMs) * minuteMs;
  const nextHour = at + Math.min(left, hourMs - wall.getUTCMinutes() * minuteMs);
  let target = at + left - marginMs;
  // If the clock was changed by a day, such as at the date line, the jump may have gone too far.
  while (target > nextHour && clock(target).getTime() > midnight) target -= dayMs;
  return Math.max(target, nextHour);
}

/** The next minute of the schedule in this hour, or 60. */
function followingMinute(values: ReadonlySet<number>, after: number): number {
  for (let minute = after + 1; minute < 60; minute++) if (values.has(minute)) return minute;
  return 60;
}
