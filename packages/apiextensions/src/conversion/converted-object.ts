import {
  type ApiObject,
  aggregate,
  field,
  setOwn,
  validateAnnotations,
  validateLabels,
} from "@orchernetes/apimachinery";
import { isPlain, type Plain } from "../schema/structural.ts";

/** `example.com/v1, Kind=Widget` */
export function kindText({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
}

/** What is wrong with a converted object: its version or kind, its name, namespace or uid, or other metadata. Messages differ by it. */
export type ConvertedPart = "type" | "identity" | "metadata";

/** What a webhook made of an object is not that object in another version. The message says why. */
export class InvalidConversionError extends Error {
  override readonly name = "InvalidConversionError";
  readonly about: ConvertedPart;

  constructor(message: string, about: ConvertedPart) {
    super(message);
    this.about = about;
  }
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * Checks what a webhook returned for an object: it must be of the desired version, and the same kind, name, namespace and uid. All metadata
 * but labels and annotations stays as it was.
 *
 * A webhook translates a spec; it must not become a way around the API. If it could change finalizers or owners, converting an object could
 * delete it, or keep it from being deleted. Labels and annotations may change, since fields that a version lacks are kept there, so that a
 * conversion back loses nothing.
 *
 * @param original what the webhook was sent
 * @throws InvalidConversionError
 */
export function acceptedObject(original: ApiObject, converted: unknown, apiVersion: string): ApiObject {
  if (!isPlain(converted) || text(converted.kind) === "") {
    const found = (JSON.stringify(converted) ?? "").slice(0, 256);
    throw new InvalidConversionError(`Object 'Kind' is missing in '${found}'`, "type");
  }
  if (converted.apiVersion !== apiVersion) {
    const received = text(converted.apiVersion);
    throw new InvalidConversionError(`invalid groupVersion (expected ${apiVersion}, received ${received})`, "type");
  }
  if (converted.kind !== original.kind)
    throw new InvalidConversionError(
      `invalid kind (expected ${original.kind}, received ${text(converted.kind)})`,
      "type",
    );
  const metadata = isPlain(converted.metadata) ? converted.metadata : {};
  for (const [name, member] of identity) {
    const [had, got] = [text(original.metadata[member]), text(metadata[member])];
    if (had !== got) throw new InvalidConversionError(`must have the same ${name}: ${had} != ${got}`, "identity");
  }
  return {
    ...converted,
    metadata: restoredMetadata(original.metadata as unknown as Plain, converted.metadata),
  } as unknown as ApiObject;
}

/** What an object is found by, with the spelling of messages. */
const identity = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["UID", "uid"],
] as const;

/** The original metadata with the converted labels and annotations. Absent ones were removed by the webhook. */
function restoredMetadata(original: Plain, converted: unknown): Plain {
  if (converted === undefined) throw new InvalidConversionError("missing metadata in converted object", "metadata");
  if (!isPlain(converted))
    throw new InvalidConversionError(`invalid metadata of type ${typeOf(converted)} in converted object`, "metadata");
  const restored: Record<string, unknown> = { ...original };
  for (const name of ["labels", "annotations"] as const) {
    delete restored[name];
    const given = converted[name] ?? undefined;
    if (given !== undefined) setOwn(restored, name, checkedMap(name, original[name], given));
  }
  return restored;
}

/** Labels or annotations are validated only if the webhook changed them: those that were stored under older rules must stay readable. */
function checkedMap(
  name: "labels" | "annotations",
  original: unknown,
  given: unknown,
): Readonly<Record<string, string>> {
  if (!isPlain(given))
    throw new InvalidConversionError(
      `invalid metadata.${name} of type ${typeOf(given)} in converted object`,
      "metadata",
    );
  const before: Plain = isPlain(original) ? original : {};
  let changed = Object.keys(before).length !== Object.keys(given).length;
  for (const [key, value] of Object.entries(given)) {
    if (typeof value !== "string")
      throw new InvalidConversionError(
        `metadata.${name}[${key}] must be a string, but is ${typeOf(value)} in converted object`,
        "metadata",
      );
    changed ||= !Object.hasOwn(before, key) || before[key] !== value;
  }
  const map = given as Readonly<Record<string, string>>;
  if (!changed) return map;
  const path = field("metadata").child(name === "labels" ? "labels" : "annotation");
  const errors = name === "labels" ? validateLabels(map, path) : validateAnnotations(map, path);
  if (errors.length > 0) throw new InvalidConversionError(aggregate(errors), "metadata");
  return map;
}

/** The name of the type of a JSON value in Go, as messages of Kubernetes have it. */
function typeOf(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return "int64";
    case "number":
      return Number.isInteger(value) ? "int64" : "float64";
    case "object":
      return "map[string]interface {}";
    default:
      return typeof value;
  }
}
