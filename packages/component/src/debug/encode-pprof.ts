import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { SampleInput } from "pprof-format";
import type { Frame, Profile, ProfileNode } from "./profile-tree.ts";

const compress = promisify(gzip);

const nanos = (ms: number): number => Math.round(ms * 1e6);

/** Assigns an ID to each distinct value, from 1, and collects the results of `create`. */
function numbered<T, E>(keyOf: (value: T) => string, create: (value: T, id: number) => E) {
  const ids = new Map<string, number>();
  const entries: E[] = [];
  const idOf = (value: T): number => {
    const key = keyOf(value);
    let id = ids.get(key);
    if (id === undefined) {
      id = ids.size + 1;
      ids.set(key, id);
      entries.push(create(value, id));
    }
    return id;
  };
  return { entries, idOf };
}

/** A profile in the format of pprof: gzipped protocol buffers (github.com/google/pprof, proto/profile.proto). */
export async function encodePprof(profile: Profile): Promise<Buffer> {
  // Loaded with the first requested profile, so that it does not slow down every start.
  const { Profile: PprofProfile, StringTable } = await import("pprof-format");
  const stringTable = new StringTable();
  const string = (text: string): number => stringTable.dedup(text);
  const valueType = ([type, unit]: readonly [string, string]) => ({ type: string(type), unit: string(unit) });
  const functions = numbered<Frame, object>(
    ({ functionName, url }) => `${functionName}\n${url}`,
    ({ functionName, url, lineNumber }, id) => {
      const name = string(functionName || "(anonymous)");
      return { id, name, systemName: name, filename: string(url), startLine: lineNumber + 1 };
    },
  );
  const locations = numbered<Frame, object>(
    ({ functionName, url, lineNumber }) => `${functionName}\n${url}\n${lineNumber}`,
    (frame, id) => ({ id, line: [{ functionId: functions.idOf(frame), line: frame.lineNumber + 1 }] }),
  );
  const sample: SampleInput[] = [];
  // Depth is bounded by the stack that was measured; pending nodes carry their stack, leaf first.
  const pending: { readonly node: ProfileNode; readonly stack: readonly number[] }[] = [
    ...profile.root.children.map((node) => ({ node, stack: [] })),
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node } = next;
    const stack = [locations.idOf(node.frame), ...next.stack];
    if (node.values?.some((value) => value > 0)) sample.push({ locationId: stack, value: node.values.map(Math.round) });
    for (const child of node.children) pending.push({ node: child, stack });
  }
  const encoded = new PprofProfile({
    sampleType: profile.sampleTypes.map(valueType),
    sample,
    location: locations.entries,
    function: functions.entries,
    timeNanos: nanos(profile.startedMs),
    durationNanos: nanos(profile.durationMs),
    periodType: valueType(profile.period.type),
    period: profile.period.value,
    stringTable,
  });
  return compress(encoded.encode());
}
