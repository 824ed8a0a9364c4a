import { SourceMap } from "node:module";
import { basename } from "node:path";

/** `file.ts:12` by `line:column` of the calls in one built file. */
export type FileCallers = Readonly<Record<string, string>>;

/** Calls that log lines name: those of the methods of loggers. */
const CALLS = /\.(?:info|warn|error|v)\(/g;

/**
 * Where in the sources the logging calls of a built file are. A call's position in a stack is that of the method's name; both its
 * numbers start at 1.
 *
 * @param text the built file
 * @param map its source map, as JSON
 */
export function callersOf(text: string, map: string): FileCallers {
  const sources = new SourceMap(JSON.parse(map));
  const starts = lineStarts(text);
  const callers: Record<string, string> = {};
  let line = 0;
  for (const { index } of text.matchAll(CALLS)) {
    while (line + 1 < starts.length && (starts[line + 1] ?? 0) <= index) line++;
    const column = index + 1 - (starts[line] ?? 0);
    const entry = sources.findEntry(line, column);
    if (!("originalSource" in entry) || entry.originalSource.includes("node_modules")) continue;
    callers[`${line + 1}:${column + 1}`] = `${basename(entry.originalSource)}:${entry.originalLine + 1}`;
  }
  return callers;
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
