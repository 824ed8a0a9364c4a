import { getOwn, setOwn } from "../codec/json.ts";
import type { MessageSchema } from "../schema/index.ts";
import { compareElements, type FieldSet, leaf, type MutableFieldSet, withSelf } from "./field-set.ts";
import { pruneChild } from "./prune.ts";
import {
  type Comparison,
  describeValue,
  isNullOrEmpty,
  isPlain,
  objectOf,
  type Plain,
  type Pruning,
  TypedError,
  type Walker,
} from "./walker.ts";

/** A field whose ownership is tracked. */
interface StructField {
  readonly name: string;
  readonly element: string;
  readonly walker: Walker;
  /** Whether every object inherits a property of this name (`constructor`); then only an own member counts. */
  readonly inherited: boolean;
}

/** The member of a value for a field; undefined if it is absent. */
function memberOf(source: Plain, { name, inherited }: StructField): unknown {
  return inherited ? getOwn(source, name) : source[name];
}

/** Exceptions of {@link structWalker}. */
export interface StructOptions {
  /** Fields that ownership ignores. */
  readonly except?: ReadonlySet<string>;
  /** Walkers of fields that replace those of the schema. */
  readonly fields?: Readonly<Record<string, Walker>>;
}

/** The owned fields, in the order of their elements. */
function fieldsOf(
  declared: ReadonlySet<string>,
  walkerOf: (name: string) => Walker,
  { except, fields: given = {} }: StructOptions,
): readonly StructField[] {
  return [...declared]
    .filter((name) => except?.has(name) !== true)
    .map((name) => ({
      name,
      element: `f:${name}`,
      walker: (Object.hasOwn(given, name) ? given[name] : undefined) ?? walkerOf(name),
      inherited: name in Object.prototype,
    }))
    .sort((a, b) => compareElements(a.element, b.element));
}

/** The walker of a struct whose fields are owned individually. */
export function structWalker(
  schema: MessageSchema,
  walkerOf: (name: string) => Walker,
  options: StructOptions = {},
): Walker {
  const declared = new Set(Object.keys(schema.fields()));
  // In the order of their elements: sets are built in order and need no sorting, unlike those of maps.
  const fields = fieldsOf(declared, walkerOf, options);
  const byName = new Map(fields.map((field) => [field.name, field]));
  const ownsItself = schema.ownedAsItem === true;

  const whole = (value: unknown): FieldSet => {
    const source = objectOf(value);
    let out: MutableFieldSet | undefined;
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i] as StructField;
      const { element, walker } = field;
      const item = memberOf(source, field);
      if (item === undefined) continue;
      out ??= { ".": leaf };
      out[element] = walker.whole(item);
    }
    return out ?? leaf;
  };

  const compare = (before: unknown, after: unknown, out: Comparison): FieldSet | undefined => {
    const old = objectOf(before);
    const now = objectOf(after);
    let changed: MutableFieldSet | undefined;
    let removed: MutableFieldSet | undefined;
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i] as StructField;
      const { element, walker } = field;
      const a = memberOf(old, field);
      const b = memberOf(now, field);
      // Unchanged parts are shared by both objects, and unset members are both undefined.
      if (a === b) continue;
      if (a === undefined) {
        changed ??= {};
        changed[element] = walker.whole(b);
      } else if (b === undefined) {
        removed ??= {};
        removed[element] = walker.whole(a);
      } else {
        const found = walker.compare(a, b, out);
        if (found !== undefined) {
          changed ??= {};
          changed[element] = found;
        }
        if (out.removed !== undefined) {
          removed ??= {};
          removed[element] = out.removed;
        }
      }
    }
    out.removed = removed;
    return changed;
  };

  // A struct is not an element itself, in contrast to maps and list items: its owners are those of its fields. One that is
  // applied as null or empty has no fields, so it is owned as such.
  const applied = (value: unknown): FieldSet | undefined => {
    const source = objectOf(value);
    let out: MutableFieldSet | undefined;
    for (const field of fields) {
      const { element, walker } = field;
      const item = memberOf(source, field);
      if (item === undefined) continue;
      const found = isNullOrEmpty(item) ? leaf : walker.applied(item);
      if (found === undefined) continue;
      out ??= {};
      out[element] = found;
    }
    return ownsItself ? withSelf(out) : out;
  };

  return {
    whole,
    compare,
    applied,
    merge: (live, patch) => mergeStruct(byName, live, patch),
    prune: (value, pruning) => pruneStruct(byName, value, pruning),
    typed: (value, path) => typedStruct({ byName, declared, aliases: schema.aliases }, value, path),
  };
}

type FieldsByName = ReadonlyMap<string, StructField>;

/**
 * Merges structs field by field. Members that ownership ignores (`metadata.uid`) are taken from the patch if it sets
 * them.
 */
function mergeStruct(byName: FieldsByName, live: unknown, patch: unknown): unknown {
  if (patch === null) return live ?? null;
  if (!isPlain(live)) return patch;
  const out: Record<string, unknown> = { ...live };
  const source = patch as Plain;
  for (const name in source) {
    const field = byName.get(name);
    const item = source[name];
    const before = getOwn(live, name);
    setOwn(out, name, field === undefined ? (item ?? before) : field.walker.merge(before, item));
  }
  return out;
}

/**
 * Prunes a struct; members that ownership ignores are kept.
 *
 * @returns undefined if nothing is left, so that the parent decides about the empty struct
 */
function pruneStruct(byName: FieldsByName, value: unknown, pruning: Pruning): unknown {
  if (!isPlain(value)) return value;
  const out: Record<string, unknown> = {};
  let some = false;
  for (const name in value) {
    const field = byName.get(name);
    const item = value[name];
    const kept = field === undefined ? item : pruneChild(field.walker, field.element, item, pruning, true);
    if (kept === undefined) continue;
    setOwn(out, name, kept);
    some = true;
  }
  return some ? out : undefined;
}

/**
 * Checks a struct and returns its members under their canonical names (`aliases` are other spellings that older
 * versions accept). Members that ownership ignores are copied unchecked: the decoder of the kind checks them.
 */
function typedStruct(
  names: { byName: FieldsByName; declared: ReadonlySet<string>; aliases: MessageSchema["aliases"] },
  value: unknown,
  path: string,
): unknown {
  const { byName, declared, aliases } = names;
  if (value === null) return null;
  if (!isPlain(value)) throw new TypedError(path, `expected map, got ${describeValue(value)}`);
  const out: Record<string, unknown> = {};
  for (const given of Object.keys(value)) {
    const name = aliases !== undefined && Object.hasOwn(aliases, given) ? (aliases[given] ?? given) : given;
    const field = byName.get(name);
    if (field !== undefined) setOwn(out, name, field.walker.typed(value[given], `${path}.${name}`));
    else if (declared.has(name)) setOwn(out, name, value[given]);
    else throw new TypedError(`${path}.${given}`, "field not declared in schema");
  }
  return out;
}
