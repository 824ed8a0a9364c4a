/** A query of `/logs/`: of services, or of one file. */
export interface LogQuery {
  readonly services: readonly string[];
  readonly files: readonly string[];
  readonly options: LogQueryOptions;
}

/** Which entries of services are shown. */
export interface LogQueryOptions {
  readonly sinceTime?: Date;
  readonly untilTime?: Date;
  /** Lines at the end. */
  readonly tailLines?: number;
  /** 0 for the current boot, -1 for the one before it. */
  readonly boot?: number;
  /** A regular expression for the messages. */
  readonly pattern?: string;
}

const maxTailLines = 100_000;
const maxServices = 4;
const maxServiceLength = 256;
/** The pattern is an argument of a program, and compiled by it. */
const maxPatternLength = 1024;
const unsafe = /[^a-zA-Z\-_0-9@]/;

const rfc3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})$/;

/** An invalid parameter, in the format of Kubernetes' field errors. */
const invalid = (field: string, value: unknown, why: string): string =>
  `${field}: Invalid value: ${JSON.stringify(value)}: ${why}`;

/**
 * Reads a query from the parameters of a request (KEP-2258).
 *
 * @returns undefined if there is no parameter of a query; errors of parameters that cannot be read, for a response 400
 */
export function parseLogQuery(params: URLSearchParams): {
  readonly query?: LogQuery;
  readonly errors: readonly string[];
} {
  const errors: string[] = [];
  const queries = params.getAll("query");
  const isFile = (text: string) => /[/\\]/.test(text);
  const files = queries.filter(isFile);
  const services = queries.filter((text) => !isFile(text) && text.trim() !== "");
  if (queries.length > 0 && files.length + services.length === 0)
    errors.push(invalid("query", queries, "query cannot be empty"));
  const time = (name: string): Date | undefined => {
    const text = params.get(name) ?? "";
    if (text === "") return undefined;
    const value = rfc3339.test(text) ? new Date(text) : undefined;
    if (value !== undefined && !Number.isNaN(value.getTime())) return value;
    errors.push(invalid(name, text, "invalid time format"));
    return undefined;
  };
  const whole = (name: string): number | undefined => {
    const text = params.get(name) ?? "";
    if (text === "") return undefined;
    if (/^[+-]?\d{1,15}$/.test(text)) return Number(text);
    errors.push(invalid(name, text, `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`));
    return undefined;
  };
  const all = {
    sinceTime: time("sinceTime"),
    untilTime: time("untilTime"),
    boot: whole("boot"),
    tailLines: whole("tailLines"),
    pattern: params.get("pattern") || undefined,
  };
  const options = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as LogQueryOptions;
  if (errors.length > 0) return { errors };
  if (queries.length === 0 && Object.keys(options).length === 0) return { errors };
  return { query: { services, files, options }, errors };
}

/** The errors of a query that has the right form, for a response 406; empty if there are none. */
export function logQueryErrors({ services, files, options }: LogQuery): readonly string[] {
  const errors: string[] = [];
  for (const service of services) {
    if (service.length > maxServiceLength)
      errors.push(invalid("query", service.slice(0, 100), `length must be at most ${maxServiceLength}`));
    else if (unsafe.test(service)) errors.push(invalid("query", service, "input contains unsupported characters"));
    // A program would take it for an option.
    else if (service.startsWith("-")) errors.push(invalid("query", service, "must not begin with a hyphen"));
  }
  if (services.length > maxServices)
    errors.push(`query: Too many: ${services.length}: must have at most ${maxServices} items`);
  if (files.length + services.length === 0) errors.push("query: Required value: cannot be empty with options");
  else if (files.length > 0 && services.length > 0)
    errors.push(invalid("query", [...files, ...services].join(", "), "cannot specify a file and service"));
  else if (files.length > 1) errors.push(invalid("query", files.slice(0, 10), "cannot specify more than one file"));
  else if (files.length === 1 && Object.keys(options).length > 0)
    errors.push(invalid("query", files, "cannot specify file with options"));
  return [...errors, ...optionErrors(options)];
}

function optionErrors({ sinceTime, untilTime, boot, tailLines, pattern }: LogQueryOptions): readonly string[] {
  const errors: string[] = [];
  if (sinceTime !== undefined && untilTime !== undefined && sinceTime > untilTime)
    errors.push(invalid("untilTime", untilTime, "must be after `sinceTime`"));
  if (boot !== undefined && boot > 0) errors.push(invalid("boot", boot, "must be less than 1"));
  if (tailLines !== undefined && (tailLines < 0 || tailLines > maxTailLines))
    errors.push(invalid("tailLines", tailLines, `must be between 0 and ${maxTailLines}, inclusive`));
  if (pattern !== undefined && (pattern.length > maxPatternLength || pattern.includes("\0")))
    errors.push(
      invalid("pattern", pattern.slice(0, 100), `must be at most ${maxPatternLength} characters, none of them zero`),
    );
  else if (pattern !== undefined && !isPattern(pattern))
    errors.push(invalid("pattern", pattern, "error parsing regexp"));
  return errors;
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
