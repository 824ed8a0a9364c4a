import { readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { fileURLToPath } from "node:url";

const place = /(file:\/\/[^\s()]+\.[cm]js):(\d+):(\d+)/g;

/**
 * A stack with positions in the sources instead of modules of a bundle. It reads their source maps each time, which
 * takes tens of milliseconds: for errors that end a process. Without source maps the stack is unchanged.
 */
export function originalStack(stack: string): string {
  const maps = new Map<string, SourceMap | undefined>();
  return stack.replaceAll(place, (found: string, url: string, line: string, column: string) => {
    if (!maps.has(url)) maps.set(url, mapOf(url));
    const entry = maps.get(url)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (entry === undefined || !("originalSource" in entry)) return found;
    return `${entry.originalSource.replace(/^(\.\.\/)+/, "")}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

function mapOf(url: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(fileURLToPath(`${url}.map`), "utf8")));
  } catch {
    return undefined;
  }
}
