import { defaultMaxDepth, parseJson, parseYaml } from "@orchernetes/apimachinery";
import { jsonText } from "../generate/json-text.ts";
import { anyJson } from "../generate/json-value.ts";
import { everyResource } from "../generate/minimal-objects.ts";
import { randomObject } from "../generate/object.ts";
import { decodedText, yamlText } from "../generate/yaml-text.ts";
import type { Random } from "../random.ts";
import { bytesOf, type PureTarget } from "../target.ts";
import { attempt, hasEscapedKey, isDecodeError, isLongInteger, notPlain, sameJson } from "./attempt.ts";

interface Document extends Readonly<Record<string, string>> {
  readonly bytes: string;
}

function anything(random: Random): unknown {
  return random.chance(0.4) ? anyJson(random, 5) : randomObject(random, random.pick(everyResource));
}

/**
 * What the engine reads, except that integers that fit 64 bits but no double are a `bigint`. The reviver gets their
 * source text ("JSON.parse source text access", ES2026).
 */
function withLongIntegers(text: string): unknown {
  const read = (_key: string, value: unknown, { source }: { readonly source?: string }): unknown =>
    typeof value === "number" && source !== undefined && /^-?\d+$/.test(source) && isLongInteger(BigInt(source))
      ? BigInt(source)
      : value;
  return JSON.parse(text, read as (key: string, value: unknown) => unknown);
}

/** Whether a document was rejected for its depth or size. The engine has no such limits. */
const isLimit = ({ message }: Error): boolean => /max depth|has more than \d+ /.test(message);

/** The JSON parser compared with the parser of the engine, with and without the search for duplicate keys. */
export const jsonTarget: PureTarget<Document> = {
  name: "json",
  generate: (random) => ({ bytes: jsonText(random, anything(random)) }),
  check: ({ bytes }) => {
    const text = decodedText(bytes);
    const own = attempt(() => parseJson(bytesOf(bytes)), isDecodeError);
    const searched = attempt(() => parseJson(bytesOf(bytes), { duplicates: true }), isDecodeError);
    if (own.ok !== searched.ok) return "looking for duplicate keys changes whether the document is accepted";
    const engine = attempt(
      () => JSON.parse(text) as unknown,
      (error) => error instanceof SyntaxError,
    );
    if (!own.ok) return engine.ok && !isLimit(own.error) ? `rejects valid JSON: ${own.error.message}` : undefined;
    if (!engine.ok) return "accepts invalid JSON";
    const expected = withLongIntegers(text);
    // See hasEscapedKey: the engine itself is wrong about such texts.
    if (text.includes("\\u") || hasEscapedKey(text)) return undefined;
    if (!sameJson(own.value.value, expected)) return "reads a different value than the engine's parser";
    if (searched.ok && !sameJson(searched.value.value, expected)) return "looking for duplicates changes the value";
    return undefined;
  },
};

/** The YAML parser: what it accepts must be plain JSON. */
export const yamlTarget: PureTarget<Document> = {
  name: "yaml",
  generate: (random) => ({ bytes: yamlText(random, anything(random)) }),
  check: ({ bytes }) => {
    const text = decodedText(bytes);
    const own = attempt(() => parseYaml(text), isDecodeError);
    const searched = attempt(() => parseYaml(text, { duplicates: true }), isDecodeError);
    // The depth at which the stack ends varies, so the parser may reject deep documents at any time.
    if ([own, searched].some((outcome) => !outcome.ok && outcome.error.message.includes("max depth"))) return undefined;
    if (own.ok !== searched.ok) return "looking for duplicate keys changes whether the document is accepted";
    if (!own.ok) return undefined;
    // An accepted document must be plain JSON that all code after the parser can walk.
    const depth = attempt(
      () => JSON.stringify(own.value.value),
      (error) => error instanceof RangeError,
    );
    return depth.ok
      ? notPlain(own.value.value)
      : `returns a value that nests beyond ${defaultMaxDepth} levels or is huge`;
  },
};
