import {
  apiVersionOf,
  canonicalize,
  DecodeError,
  encodeMessage,
  type ResourceDefinition,
  writeEnvelope,
} from "@orchernetes/apimachinery";
import type { Random } from "../random.ts";
import { rawText } from "../target.ts";
import { mutatedBytes } from "./mutate-bytes.ts";
import { nastyText } from "./nasty-text.ts";

/** A protobuf body of an object, in most cases with wrong tags, lengths or types in it. Text as in a fuzz case. */
export function wireText(random: Random, definition: ResourceDefinition, object: unknown): string {
  let message: Uint8Array;
  try {
    message = encodeMessage(definition.schema, canonicalize(definition.schema, object));
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    // An object that does not fit the schema has no protobuf form, so the message is random bytes.
    message = Buffer.from(Array.from({ length: random.size(300) }, () => random.below(256)));
  }
  let inner = rawText(message);
  if (random.chance(0.5)) inner = mutatedBytes(random, inner);
  if (random.chance(0.3)) inner = insertField(random, inner);
  if (random.chance(0.03)) inner = nestedField(random, inner);
  const kind = random.chance(0.95) ? definition.kind : nastyText(random);
  const apiVersion = random.chance(0.95) ? apiVersionOf(definition) : nastyText(random);
  const body = rawText(writeEnvelope(apiVersion, kind, Buffer.from(inner, "latin1")));
  return random.chance(0.15) ? mutatedBytes(random, body) : body;
}

// Varints that are too long or too large, field number 0, a wire type that does not exist, and lengths beyond the
// end.
const tails = [
  "\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u0001",
  "\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff",
  "\u0080\u0080\u0080\u0080\u0010",
  "\u00ff\u00ff\u00ff\u00ff\u0007",
  "\u0000",
  "\u007f",
  "\u0004\u0000\u0000\u0000\u0000",
];

function insertField(random: Random, message: string): string {
  const at = random.chance(0.5) ? 0 : random.below(message.length + 1);
  const tag = String.fromCharCode((1 + random.below(31)) * 8 + random.below(8));
  return message.slice(0, at) + tag + random.pick(tails) + message.slice(at);
}

/** The message nested in itself many times, under one field number: a decoder that recurses overflows its stack. */
function nestedField(random: Random, message: string): string {
  const tag = String.fromCharCode((1 + random.below(15)) * 8 + 2);
  let out = message.slice(0, 100);
  for (let i = random.size(3000); i > 0; i--) out = tag + varint(out.length) + out;
  return out;
}

function varint(value: number): string {
  let rest = value;
  let out = "";
  for (; rest > 127; rest >>>= 7) out += String.fromCharCode((rest & 127) | 128);
  return out + String.fromCharCode(rest);
}
