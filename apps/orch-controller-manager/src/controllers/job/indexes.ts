/** Parses completed indexes such as `0-2,5`. Indexes that are not below `completions` are ignored. */
export function parseIndexes(text: string | undefined, completions: number): Set<number> {
  const indexes = new Set<number>();
  for (const part of (text ?? "").split(",")) {
    const match = /^(\d+)(?:-(\d+))?$/.exec(part);
    if (match === null) continue;
    const first = Number(match[1]);
    const last = Math.min(Number(match[2] ?? match[1]), completions - 1);
    for (let index = first; index <= last; index++) indexes.add(index);
  }
  return indexes;
}

/** Formats indexes: runs of three or more as a range, shorter ones separated by commas, such as `0-2,4,5`. */
export function formatIndexes(indexes: ReadonlySet<number>): string {
  const parts: string[] = [];
  const sorted = [...indexes].sort((a, b) => a - b);
  for (let i = 0; i < sorted.length; ) {
    const first = sorted[i] ?? 0;
    let last = first;
    while (sorted[++i] === last + 1) last += 1;
    if (last === first) parts.push(`${first}`);
    else parts.push(last === first + 1 ? `${first},${last}` : `${first}-${last}`);
  }
  return parts.join();
}
