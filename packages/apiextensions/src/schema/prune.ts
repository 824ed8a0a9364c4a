import { DecodeError, decoderFor, ObjectMeta, setOwn } from "@orchernetes/apimachinery";
import { isForbiddenNull, isPlain, type Plain, type Structural } from "./structural.ts";

/** What a walk reports. */
export interface PruneContext {
  /** Called for each member that is dropped; the path is built when it is needed. */
  readonly onUnknown: (path: () => string) => void;
}

/** Members of every object. A schema may restrict them, but need not list them: they are never pruned. */
const identity: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
/** The properties of a value that no schema describes. */
const blank: ReadonlyMap<string, Structural> = new Map();

/**
 * Makes a copy of a value as its schema has it: members sorted by name, unknown ones dropped, nulls dropped where null is neither
 * allowed nor replaced by a default, and metadata of embedded objects in canonical form.
 *
 * Unknown members are dropped (KEP-2332) so that the store holds only what the schema's author expects: otherwise a member that an old
 * client misspelt, or set before it existed, would come to life with a later version of the schema. Types are not checked: validation
 * does that afterwards, with better messages.
 */
export class Pruner {
  readonly #context: PruneContext;
  /** The path to the current value. Its text is made only for a member that is reported. */
  readonly #trail: (string | number)[] = [];

  constructor(context: PruneContext) {
    this.#context = context;
  }

  /** @param structural undefined: nothing is known of the value, so members of objects in it are unknown. */
  prune(value: unknown, structural: Structural | undefined): unknown {
    if (Array.isArray(value)) return this.#list(value, structural?.items, structural?.preserve === true);
    if (!isPlain(value)) return value;
    return this.#object(value, structural);
  }

  /** The members of an object's root beside apiVersion, kind and metadata, which the codec of objects handles. */
  members(value: Plain, structural: Structural, out: Record<string, unknown>): void {
    for (const key of sortedKeys(value)) {
      if (!identity.has(key)) this.#member(value, key, structural, out);
    }
  }

  #object(value: Plain, structural: Structural | undefined): Plain {
    const out: Record<string, unknown> = {};
    const embedded = structural?.embedded === true;
    for (const key of sortedKeys(value)) {
      if (embedded && identity.has(key)) {
        setOwn(out, key, key === "metadata" ? this.#metadata(value[key]) : value[key]);
      } else {
        this.#member(value, key, structural, out);
      }
    }
    return out;
  }

  /**
   * Copies one member if the schema has it. In order: a property has a shape of its own; additionalProperties allow every name, with one
   * shape for all; preserve-unknown-fields keeps the member with all that is in it; otherwise it is dropped.
   */
  #member(source: Plain, key: string, structural: Structural | undefined, out: Record<string, unknown>): void {
    const item = source[key];
    if (item === undefined) return;
    const property = (structural?.properties ?? blank).get(key);
    if (property !== undefined) {
      if (isForbiddenNull(item, property) && !property.hasDefault) return;
      setOwn(out, key, this.#below(key, item, property));
    } else if (structural?.open === true) {
      const { additional } = structural;
      if (isForbiddenNull(item, additional) && additional?.hasDefault !== true) return;
      setOwn(
        out,
        key,
        structural.preserve && additional === undefined ? sorted(item) : this.#below(key, item, additional),
      );
    } else if (structural?.preserve === true) {
      setOwn(out, key, sorted(item));
    } else {
      this.#trail.push(key);
      this.#context.onUnknown(() => pathText(this.#trail));
      this.#trail.pop();
    }
  }

  #list(value: readonly unknown[], items: Structural | undefined, preserve: boolean): readonly unknown[] {
    if (items === undefined && preserve) return value.map(sorted);
    return value.map((item, i) => this.#below(i, item, items));
  }

  #below(step: string | number, value: unknown, structural: Structural | undefined): unknown {
    if (typeof value !== "object" || value === null) return value;
    this.#trail.push(step);
    const pruned = this.prune(value, structural);
    this.#trail.pop();
    return pruned;
  }

  /**
   * The metadata of an embedded object goes through the codec of ObjectMeta, as that of a root does: unknown members of it are dropped,
   * although no schema lists the known ones.
   */
  #metadata(value: unknown): unknown {
    if (value === null) return undefined;
    try {
      const { creationTimestamp, ...rest } = decoderFor(ObjectMeta).decode(value, {
        onUnknown: (path) => this.#context.onUnknown(() => pathText([...this.#trail, "metadata", path])),
      });
      return creationTimestamp ? { ...rest, creationTimestamp } : rest;
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      throw new DecodeError(
        error.message,
        pathText([...this.#trail, "metadata", error.path].filter((step) => step !== "")),
      );
    }
  }
}

/** A path as messages have it: `spec.items[0].name`. */
function pathText(trail: readonly (string | number)[]): string {
  let text = "";
  for (const step of trail) text += typeof step === "number" ? `[${step}]` : text === "" ? step : `.${step}`;
  return text;
}

/** Names in order. Most objects come from the store and are sorted already, and checking is cheaper than sorting. */
function sortedKeys(value: Plain): readonly string[] {
  const keys = Object.keys(value);
  for (let i = 1; i < keys.length; i++) if ((keys[i - 1] as string) > (keys[i] as string)) return keys.sort();
  return keys;
}

/** A copy with the members of all objects sorted, so that equal values have equal bytes. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isPlain(value)) return value;
  const out: Record<string, unknown> = {};
  for (const key of sortedKeys(value)) if (value[key] !== undefined) setOwn(out, key, sorted(value[key]));
  return out;
}
