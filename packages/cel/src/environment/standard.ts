import { type Overload, overloads } from "./overload.ts";

/** Types with an order. Overloads are listed for each type: values of different types are compared only where one is dynamic. */
const comparable = ["bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration"] as const;

const comparisons = ["_<_", "_<=_", "_>_", "_>=_"]
  .flatMap((name) => comparable.map((type) => `${name}(${type}, ${type}) bool`))
  .join("\n");

/** Parts of a time, in UTC or in the time zone of the argument. */
const fields = ["FullYear", "Month", "DayOfMonth", "Date", "DayOfWeek", "DayOfYear"]
  .flatMap((name) => [`timestamp.get${name}() int`, `timestamp.get${name}(string) int`])
  .join("\n");

/** Parts of the time of day. Of a duration they are the whole in that unit, so that `getMinutes()` of 2h is 120. */
const clock = ["Hours", "Minutes", "Seconds", "Milliseconds"]
  .flatMap((name) => [`timestamp.get${name}() int`, `timestamp.get${name}(string) int`, `duration.get${name}() int`])
  .join("\n");

const arithmetic = ["int", "uint", "double"]
  .flatMap((type) => ["_+_", "_-_", "_*_", "_/_"].map((name) => `${name}(${type}, ${type}) ${type}`))
  .join("\n");

const sizes = ["string", "bytes", "list(A)", "map(A, B)"]
  .flatMap((type) => [`size(${type}) int`, `${type}.size() int`])
  .join("\n");

/** The functions and operators of the language itself, and of its extension for strings as of 1.27. */
export const standardOverloads: readonly Overload[] = overloads(`
  _?_:_(bool, A, A) A
  _&&_(bool, bool) bool
  _||_(bool, bool) bool
  !_(bool) bool
  @not_strictly_false(bool) bool
  _==_(A, A) bool
  _!=_(A, A) bool
  ${comparisons}
  -_(int) int
  -_(double) double
  ${arithmetic}
  _%_(int, int) int
  _%_(uint, uint) uint
  _+_(string, string) string
  _+_(bytes, bytes) bytes
  _+_(list(A), list(A)) list(A)
  _+_(timestamp, duration) timestamp
  _+_(duration, timestamp) timestamp
  _+_(duration, duration) duration
  _-_(timestamp, timestamp) duration
  _-_(timestamp, duration) timestamp
  _-_(duration, duration) duration
  _[_](list(A), int) A
  _[_](map(A, B), A) B
  @in(A, list(A)) bool
  @in(A, map(A, B)) bool
  ${sizes}
  type(A) type
  dyn(A) dyn
  int(int) int
  int(uint) int
  int(double) int
  int(string) int
  int(timestamp) int
  int(duration) int
  uint(uint) uint
  uint(int) uint
  uint(double) uint
  uint(string) uint
  double(double) double
  double(int) double
  double(uint) double
  double(string) double
  bool(bool) bool
  bool(string) bool
  bytes(bytes) bytes
  bytes(string) bytes
  string(string) string
  string(bool) string
  string(int) string
  string(uint) string
  string(double) string
  string(bytes) string
  string(timestamp) string
  string(duration) string
  timestamp(timestamp) timestamp
  timestamp(string) timestamp
  timestamp(int) timestamp
  duration(duration) duration
  duration(string) duration
  duration(int) duration
  string.contains(string) bool
  string.startsWith(string) bool
  string.endsWith(string) bool
  string.matches(string) bool
  matches(string, string) bool
  ${fields}
  ${clock}
  string.charAt(int) string
  string.indexOf(string) int
  string.indexOf(string, int) int
  string.lastIndexOf(string) int
  string.lastIndexOf(string, int) int
  string.lowerAscii() string
  string.upperAscii() string
  string.replace(string, string) string
  string.replace(string, string, int) string
  string.split(string) list(string)
  string.split(string, int) list(string)
  string.substring(int) string
  string.substring(int, int) string
  string.trim() string
  list(string).join() string
  list(string).join(string) string
`);
