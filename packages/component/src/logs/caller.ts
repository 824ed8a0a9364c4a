import { bundledCaller } from "./bundled-caller.ts";

const location = /([^/\\:(]+):(\d+):(\d+)\)?$/;

/**
 * `file.ts:12` of the caller of `boundary`, which is not counted itself. It costs one captured stack frame, so it is
 * determined only for lines that are written.
 */
export function callerOf(boundary: (...args: never[]) => unknown): string {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 1;
  const holder: { stack?: string } = {};
  Error.captureStackTrace(holder, boundary);
  Error.stackTraceLimit = limit;
  const frame = holder.stack?.split("\n", 2)[1] ?? "";
  const [, file, line, column] = location.exec(frame) ?? [];
  if (file === undefined) return "unknown:0";
  return bundledCaller(frame, file, `${line}:${column}`) ?? `${file}:${line}`;
}
