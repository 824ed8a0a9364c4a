import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Frame, Profile, ProfileNode } from "./profile-tree.ts";
import { ProtobufWriter } from "./protobuf-writer.ts";

const compress = promisify(gzip);

/** Field numbers of `perftools.profiles.Profile`. */
const profileField = {
  sampleType: 1,
  sample: 2,
  location: 4,
  function: 5,
  stringTable: 6,
  timeNanos: 9,
  durationNanos: 10,
  periodType: 11,
  period: 12,
} as const;

/** Numbers what it is shown, from `first` on, and calls `write` for each new thing. */
function interner<T>(first: number, keyOf: (value: T) => string, write: (value: T, id: number) => void) {
  const ids = new Map<string, number>();
  return (value: T): number => {
    const key = keyOf(value);
    let id = ids.get(key);
    if (id === undefined) {
      id = first + ids.size;
      ids.set(key, id);
      write(value, id);
    }
    return id;
  };
}

const nanos = (ms: number): number => Math.round(ms * 1e6);

/** A profile in the format of pprof: gzipped protocol buffers (github.com/google/pprof, proto/profile.proto). */
export async function encodePprof(profile: Profile): Promise<Buffer> {
  const out = new ProtobufWriter();
  const strings: string[] = [];
  const stringId = interner<string>(
    0,
    (text) => text,
    (text) => strings.push(text),
  );
  // The first string has to be the empty one.
  stringId("");
  const valueType = ([type, unit]: readonly [string, string]): ProtobufWriter => {
    const message = new ProtobufWriter();
    message.integer(1, stringId(type));
    message.integer(2, stringId(unit));
    return message;
  };
  const functionId = interner<Frame>(
    1,
    ({ functionName, url }) => `${functionName}\n${url}`,
    (frame, id) => {
      const message = new ProtobufWriter();
      const name = stringId(frame.functionName || "(anonymous)");
      message.integer(1, id);
      message.integer(2, name);
      message.integer(3, name);
      message.integer(4, stringId(frame.url));
      message.integer(5, frame.lineNumber + 1);
      out.message(profileField.function, message);
    },
  );
  const locationId = interner<Frame>(
    1,
    ({ functionName, url, lineNumber }) => `${functionName}\n${url}\n${lineNumber}`,
    (frame, id) => {
      const line = new ProtobufWriter();
      line.integer(1, functionId(frame));
      line.integer(2, frame.lineNumber + 1);
      const message = new ProtobufWriter();
      message.integer(1, id);
      message.message(4, line);
      out.message(profileField.location, message);
    },
  );
  for (const type of profile.sampleTypes) out.message(profileField.sampleType, valueType(type));
  // Depth is bounded by the stack that was measured; pending nodes carry their stack, leaf first.
  const pending: { readonly node: ProfileNode; readonly stack: readonly number[] }[] = [
    ...profile.root.children.map((node) => ({ node, stack: [] })),
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node } = next;
    const stack = [locationId(node.frame), ...next.stack];
    if (node.values?.some((value) => value > 0)) {
      const sample = new ProtobufWriter();
      sample.packed(1, stack);
      sample.packed(2, node.values.map(Math.round));
      out.message(profileField.sample, sample);
    }
    for (const child of node.children) pending.push({ node: child, stack });
  }
  out.integer(profileField.timeNanos, nanos(profile.startedMs));
  out.integer(profileField.durationNanos, nanos(profile.durationMs));
  out.message(profileField.periodType, valueType(profile.period.type));
  out.integer(profileField.period, profile.period.value);
  for (const text of strings) out.string(profileField.stringTable, text);
  return compress(out.finish());
}
