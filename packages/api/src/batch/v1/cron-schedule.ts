import { parseDuration } from "@orchernetes/apimachinery";
import { messageOf } from "@orchernetes/kernel";

/**
 * Thrown for texts that are no schedules. The message is that of the library that upstream uses, as it is part of
 * validation errors.
 */
export class CronScheduleError extends Error {
  override readonly name = "CronScheduleError";
}

/** Values of one field at which the schedule fires. */
export interface CronField {
  readonly values: ReadonlySet<number>;
  /**
   * Whether the field was a bare `*` or `?`, and so restricts nothing. If month and week days both restrict, a day
   * matches by either (cron's rule).
   */
  readonly any: boolean;
}

/** A parsed schedule: points in calendar time, or a fixed interval. */
export type CronSchedule =
  | {
      readonly type: "calendar";
      readonly minute: CronField;
      readonly hour: CronField;
      readonly dayOfMonth: CronField;
      readonly month: CronField;
      /** 0 is Sunday. */
      readonly dayOfWeek: CronField;
      /** IANA name in front of the schedule (`TZ=` or `CRON_TZ=`). */
      readonly timeZone?: string;
    }
  | { readonly type: "every"; readonly intervalMs: number; readonly timeZone?: string };

/** Smallest and greatest value of a field, and names of its values from the smallest on. */
interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const bounds = {
  minute: { min: 0, max: 59 },
  hour: { min: 0, max: 23 },
  dayOfMonth: { min: 1, max: 31 },
  month: {
    min: 1,
    max: 12,
    names: ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
  },
  dayOfWeek: { min: 0, max: 6, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
} satisfies Record<string, Bounds>;

const descriptors: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** Longest schedule, in characters: enough to list every minute, hour and day. */
const maxScheduleLength = 4096;

const zonePrefix = /^(?:CRON_)?TZ=([^ ]*)(?: (.*))?$/s;

/**
 * Parses a schedule: five fields (`minute hour day-of-month month day-of-week`, with lists, ranges, steps and English
 * names), a descriptor such as `@daily`, or `@every 1h30m`. Each may follow a prefix `TZ=Zone`.
 *
 * @throws CronScheduleError with the invalid part
 */
export function parseCronSchedule(text: string): CronSchedule {
  if (text === "") {
    throw new CronScheduleError("empty spec string");
  }
  if (text.length > maxScheduleLength) {
    throw new CronScheduleError(`the schedule has ${text.length} characters, more than ${maxScheduleLength}`);
  }
  const prefix = zonePrefix.exec(text);
  if (prefix === null) {
    return parsePlain(text);
  }
  const timeZone = prefix[1] ?? "";
  if (!isTimeZone(timeZone)) {
    throw new CronScheduleError(`provided bad location ${timeZone}: unknown time zone ${timeZone}`);
  }
  return { ...parsePlain((prefix[2] ?? "").trim()), timeZone };
}

/** Whether the time zone database has the name. The empty name is UTC. Offsets such as `+01:00` are not names. */
export function isTimeZone(name: string): boolean {
  if (name === "") {
    return true;
  }
  if (/^[+-]/.test(name)) {
    return false;
  }
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function parsePlain(text: string): CronSchedule {
  if (text.startsWith("@")) {
    return parseDescriptor(text);
  }
  const fields = text.split(/\s+/).filter((part) => part !== "");
  if (fields.length !== 5) {
    throw new CronScheduleError(`expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`);
  }
  const [minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = ""] = fields;
  return {
    type: "calendar",
    minute: parseField(minute, bounds.minute),
    hour: parseField(hour, bounds.hour),
    dayOfMonth: parseField(dayOfMonth, bounds.dayOfMonth),
    month: parseField(month, bounds.month),
    dayOfWeek: parseField(dayOfWeek, bounds.dayOfWeek),
  };
}

function parseDescriptor(text: string): CronSchedule {
  const fields = Object.hasOwn(descriptors, text) ? descriptors[text] : undefined;
  if (fields !== undefined) {
    return parsePlain(fields);
  }
  const every = "@every ";
  if (!text.startsWith(every)) {
    throw new CronScheduleError(`unrecognized descriptor: ${text}`);
  }
  try {
    // Intervals are whole seconds, at least one: fractions are dropped.
    const seconds = Math.max(1, Math.floor(parseDuration(text.slice(every.length)) / 1000));
    return { type: "every", intervalMs: seconds * 1000 };
  } catch (error) {
    const reason = messageOf(error);
    throw new CronScheduleError(`failed to parse duration ${text}: ${reason}`);
  }
}

/** A field: ranges separated by commas, of which each adds values. */
function parseField(text: string, limits: Bounds): CronField {
  const parts = text
    .split(",")
    .filter((part) => part !== "")
    .map((part) => parseRange(part, limits));
  return {
    values: new Set(parts.flatMap((part) => part.values)),
    any: parts.some((part) => part.any),
  };
}

/** A range `N`, `N-M` or `*`, with an optional `/step`. */
function parseRange(text: string, limits: Bounds): { readonly values: readonly number[]; readonly any: boolean } {
  const [range = "", stepText, ...moreSteps] = text.split("/");
  if (moreSteps.length > 0) {
    throw new CronScheduleError(`too many slashes: ${text}`);
  }
  const [low = "", high, ...moreBounds] = range.split("-");
  let any = low === "*" || low === "?";
  if (!any && moreBounds.length > 0) {
    throw new CronScheduleError(`too many hyphens: ${text}`);
  }
  const start = any ? limits.min : parseNumber(low, limits, text);
  let end = any ? limits.max : high === undefined ? start : parseNumber(high, limits, text);
  let step = 1;
  if (stepText !== undefined) {
    step = parseNumber(stepText, { min: 0, max: 0 }, text);
    // `N/step` runs from N to the end of the field.
    end = high === undefined ? limits.max : end;
    any &&= step <= 1;
  }
  checkRange(start, end, step, limits, text);
  const values: number[] = [];
  for (let value = start; value <= end; value += step) {
    values.push(value);
  }
  return { values, any };
}

function checkRange(start: number, end: number, step: number, { min, max }: Bounds, text: string): void {
  if (start < min) {
    throw new CronScheduleError(`beginning of range (${start}) below minimum (${min}): ${text}`);
  }
  if (end > max) {
    throw new CronScheduleError(`end of range (${end}) above maximum (${max}): ${text}`);
  }
  if (start > end) {
    throw new CronScheduleError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  }
  if (step === 0) {
    throw new CronScheduleError(`step of range should be a positive number: ${text}`);
  }
}

/** A number, or a name of one of the field's values. */
function parseNumber(text: string, limits: Bounds, whole: string): number {
  const named = limits.names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) {
    return named + limits.min;
  }
  if (!/^[+-]?[0-9]{1,9}$/.test(text)) {
    throw new CronScheduleError(`failed to parse int from ${text}: strconv.Atoi: parsing "${text}": invalid syntax`);
  }
  const number = Number(text);
  if (number < 0) {
    throw new CronScheduleError(`negative number (${number}) not allowed: ${whole}`);
  }
  return number;
}
