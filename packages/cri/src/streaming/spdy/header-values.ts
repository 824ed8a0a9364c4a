/**
 * The values of a header that is a comma-separated list, on one or several lines (RFC 9110 section 5.3), without
 * empty ones.
 */
export function headerValues(value: string | readonly string[] | undefined): string[] {
  return [value ?? []]
    .flat()
    .flatMap((line) => line.split(","))
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}
