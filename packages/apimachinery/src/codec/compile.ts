import { ObjectMeta } from "../resource/object-meta.ts";
import type { CustomContext, Field, ListSchema, MapSchema, MessageSchema, Schema } from "../schema/index.ts";
import { type Absent, compileBuilder } from "./builder.ts";
import { setOwn } from "./json.ts";
import { scalarDecoders, scalarZeros, TypeMismatch } from "./scalars.ts";

/** State of one decoding. */
export interface DecodeState {
  /** Set when a field that the schema does not have was dropped. */
  unknown: boolean;
}

/** Converts a value that is neither null nor undefined to canonical form; undefined means that it is left out. */
export type Decode = (value: unknown, state: DecodeState) => unknown;

/** Thrown without a path or a stack of its own: `explain` finds the place on a second walk, so that valid input pays nothing. */
const mismatch = new TypeMismatch("wrong JSON type");

const messages = new WeakMap<MessageSchema, Decode>();
const zeroState: DecodeState = { unknown: false };

/** The decoder of a schema. Messages are compiled once, on first use, so that schemas may be recursive. */
export function compile(schema: Schema): Decode {
  switch (schema.kind) {
    case "message": {
      const known = messages.get(schema);
      if (known !== undefined) {
        return known;
      }
      let compiled: Decode | undefined;
      const { custom } = schema;
      const decode: Decode =
        custom === undefined
          ? (value, state) => {
              compiled ??= compileMessage(schema);
              return compiled(value, state);
            }
          : (value, state) => custom.decode(value, customContext(state));
      messages.set(schema, decode);
      return decode;
    }
    case "list":
      return compileList(schema);
    case "map":
      return compileMap(schema);
    default:
      return scalarDecoders[schema.kind];
  }
}

function customContext(state: DecodeState): CustomContext {
  return {
    nested: (schema, value) => compile(schema)(value, state),
    onUnknown: () => {
      state.unknown = true;
    },
  };
}

/** The value that replaces null as a list item or map entry. */
function zeroOf(schema: Schema): () => unknown {
  switch (schema.kind) {
    case "message": {
      const decode = compile(schema);
      return () => decode({}, zeroState);
    }
    case "list":
      return () => [];
    case "map":
      return () => ({});
    case "bytes":
      // As a field it would be null, but maps have no absent entries on the wire.
      return () => "";
    default: {
      const zero = scalarZeros[schema.kind];
      return () => zero;
    }
  }
}

function compileList(schema: ListSchema): Decode {
  const decode = compile(schema.item);
  const zero = zeroOf(schema.item);
  return (value, state) => {
    if (!Array.isArray(value)) {
      throw mismatch;
    }
    const out = new Array<unknown>(value.length);
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      out[i] = item === null || item === undefined ? zero() : decode(item, state);
    }
    return out;
  };
}

/**
 * The decoder of a map. Keys are sorted, so that equal maps have equal bytes; the check before sorting is cheap for
 * the usual maps, which are sorted already.
 */
function compileMap(schema: MapSchema): Decode {
  const decode = compile(schema.value);
  const zero = zeroOf(schema.value);
  return (value, state) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw mismatch;
    }
    const source = value as Readonly<Record<string, unknown>>;
    const keys = Object.keys(source);
    for (let i = 1; i < keys.length; i++) {
      if ((keys[i - 1] as string) > (keys[i] as string)) {
        keys.sort();
        break;
      }
    }
    const out: Record<string, unknown> = {};
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string;
      const item = source[key];
      if (item === undefined) {
        continue;
      }
      const decoded = item === null ? zero() : decode(item, state);
      if (key === "__proto__") {
        setOwn(out, key, decoded);
      } else {
        out[key] = decoded;
      }
    }
    return out;
  };
}

/** The decoder of a message, with fields in canonical order: kind and apiVersion first, then as the schema has them. */
function compileMessage(schema: MessageSchema): Decode {
  const entries = Object.entries(schema.fields());
  const names = entries.map(([name]) => name);
  const decoders = entries.map(([, field]) => compileField(field));
  const build = compileBuilder(
    names,
    entries.map(([name, field]) => absentOf(schema, name, field)),
  );
  const index = new Map(names.map((name, i) => [name, i]));
  const count = names.length;
  const aliases = aliasIndex(schema, index);
  const open = schema.open === undefined ? undefined : compile(schema.open);
  return (value, state) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw mismatch;
    }
    const source = value as Readonly<Record<string, unknown>>;
    const slots = new Array<unknown>(count);
    let more: string[] | undefined;
    for (const key in source) {
      const i = index.get(key);
      if (i === undefined) {
        if (open !== undefined) {
          more ??= [];
          more.push(key);
        } else if (aliases?.has(key) !== true) state.unknown = true;
        continue;
      }
      const item = source[key];
      if (item !== null && item !== undefined) {
        slots[i] = (decoders[i] as Decode)(item, state);
      }
    }
    if (aliases !== undefined) {
      for (const [alias, i] of aliases) {
        const item = Object.hasOwn(source, alias) ? source[alias] : undefined;
        if (item !== null && item !== undefined) slots[i] = (decoders[i] as Decode)(item, state);
      }
    }
    const out = build(slots);
    if (open === undefined || more === undefined) return out;
    for (const key of more) {
      const item = source[key];
      setOwn(out, key, item === null || item === undefined ? item : open(item, state));
    }
    return out;
  };
}

/** The positions of fields by their alternative spellings; undefined when there are none, as in nearly all schemas. */
function aliasIndex(
  { aliases }: MessageSchema,
  index: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> | undefined {
  if (aliases === undefined) return undefined;
  const found = new Map<string, number>();
  for (const [alias, name] of Object.entries(aliases)) {
    const i = index.get(name);
    if (i !== undefined) found.set(alias, i);
  }
  return found;
}

/** The decoder of a field's value; it drops values that are not written according to the field's presence. */
function compileField(field: Field): Decode {
  const decode = compile(field.schema);
  if (field.presence !== "optional") {
    // An empty list of this kind is null, because protobuf, in which it is stored, cannot distinguish the two.
    return field.pointer === true && field.schema.kind === "list" ? absentWhenEmpty(decode) : decode;
  }
  switch (field.schema.kind) {
    case "raw":
    case "json":
    case "quantity":
    case "time":
    case "microTime":
    case "duration":
      return decode;
    case "list":
      return absentWhenEmpty(decode);
    case "map":
    case "message":
      return (value, state) => {
        const object = decode(value, state) as object;
        for (const _ in object) {
          return object;
        }
        return undefined;
      };
    default:
      return (value, state) => decode(value, state) || undefined;
  }
}

function absentWhenEmpty(decode: Decode): Decode {
  return (value, state) => {
    const list = decode(value, state) as readonly unknown[];
    return list.length === 0 ? undefined : list;
  };
}

function absentOf(owner: MessageSchema, name: string, field: Field): Absent {
  if (owner === ObjectMeta && name === "creationTimestamp") {
    // Always written, as in Kubernetes, whose clients rely on it.
    return { constant: null };
  }
  if (field.presence === "optional" || field.presence === "pointer") {
    return undefined;
  }
  if (field.pointer === true) {
    return { constant: null };
  }
  switch (field.schema.kind) {
    case "message":
    case "list":
    case "map":
      return { make: zeroOf(field.schema) };
    default:
      return { constant: scalarZeros[field.schema.kind] };
  }
}
