import type { Random } from "../random.ts";
import { rawText } from "../target.ts";
import { mutatedBytes } from "./mutate-bytes.ts";

// Members known to upset readers: prototype pollution, duplicate keys, lone surrogates, numbers beyond doubles and
// beyond 64 bits, and overrides of fields that decide how the object is handled.
const inserts = [
  '"__proto__":{"polluted":"yes"},',
  '"constructor":{"prototype":{"polluted":"yes"}},',
  '"a":1,"a":2,',
  '"\\ud800":"\\udfff",',
  '"big":1e400,',
  '"big":123456789012345678901234567890,',
  '"big":9007199254740993,',
  '"big":[-9223372036854775808,9223372036854775808,3546343826724305832.5],',
  '"kind":"X",',
  '"metadata":{"name":"other"},',
  '"spec":null,',
  '"\\u0000":"\\u0000",',
];

/** JSON text of a value, in different layouts, sometimes not quite JSON. Text as in a fuzz case. */
export function jsonText(random: Random, value: unknown): string {
  let text = JSON.stringify(value, null, random.chance(0.1) ? 2 : 0) ?? "null";
  if (random.chance(0.2)) {
    const braces = [...text.matchAll(/\{(?!\})/g)].map((match) => match.index + 1);
    const at = braces.length === 0 ? 0 : random.pick(braces);
    text = text.slice(0, at) + random.pick(inserts) + text.slice(at);
  }
  if (random.chance(0.05)) {
    // Deep nesting ends recursive parsers with a stack overflow.
    const levels = random.size(200_000);
    const [open, close] = random.pick([
      ["[", "]"],
      ['{"a":', "}"],
    ] as const);
    text = text.replace(/:(?=[^"])/, () => `:${open.repeat(levels)}1${close.repeat(levels)},"rest":`);
  }
  // A byte order mark, which RFC 8259 section 8.1 lets parsers ignore or reject.
  if (random.chance(0.03)) text = `\ufeff${text}`;
  const raw = rawText(text);
  return random.chance(0.15) ? mutatedBytes(random, raw) : raw;
}
