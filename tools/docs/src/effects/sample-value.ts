import type { FlagTable } from "@orchernetes/component";
import { assertNever } from "@orchernetes/kernel";

type Row = FlagTable[string];

/**
 * Another value of a flag than its default, as text; undefined where the table does not say what would be accepted: names of files,
 * addresses and the like.
 */
export function sampleValue(flag: Row): string | undefined {
  switch (flag.type) {
    case "bool":
      return String(!(flag.default ?? false));
    case "int":
      return String(Math.floor(numberBeside(flag.default ?? 0, flag)));
    case "float":
      return String(numberBeside(flag.default ?? 0, flag));
    case "duration":
      return `${Math.max(flag.min ?? 0, 0) / 1000 + 41}s`;
    case "string":
    case "strings":
    case "repeated":
      return flag.oneOf?.find((value) => value !== "" && String(flag.default) !== value);
    case "stringToString":
    case "stringToBool":
    case "ip":
      return undefined;
    default:
      return assertNever(flag);
  }
}

function numberBeside(
  value: number,
  { min = 0, max = Number.POSITIVE_INFINITY }: { min?: number; max?: number },
): number {
  if (value + 1 <= max) return Math.max(value + 1, min);
  return Math.max((value + min) / 2, min);
}
