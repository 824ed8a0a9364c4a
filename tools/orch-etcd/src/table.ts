import type { Terminal } from "./command.ts";

/** Prints rows as a table with headings, or as one JSON array. All rows have the same columns. */
export function printRows(
  rows: readonly Readonly<Record<string, string | number | boolean>>[],
  output: "table" | "json",
  { print }: Terminal,
): void {
  if (output === "json") {
    print(JSON.stringify(rows, undefined, 2));
    return;
  }
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  const lines = [
    columns.map((column) => column.toUpperCase()),
    ...rows.map((row) => columns.map((column) => String(row[column]))),
  ];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  for (const line of lines)
    print(
      line
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("   ")
        .trimEnd(),
    );
}

/** Renders a size, such as `12.3 MiB`. */
export function mebibytes(bytes: string | number): string {
  return `${(Number(bytes) / 2 ** 20).toFixed(1)} MiB`;
}

/** Renders the id of a member as etcd's own tools do. */
export function hex(id: string): string {
  return BigInt(id).toString(16);
}
