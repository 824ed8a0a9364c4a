/** Types without parameters. */
type SimpleKind =
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "null_type"
  | "timestamp"
  | "duration"
  | "type"
  | "dyn";

/**
 * A type of the expression language (CEL specification, Types). Custom resources and requests add objects with declared fields, Kubernetes'
 * functions add opaque types; the last two kinds exist during checking only.
 */
export type Type =
  | { readonly kind: SimpleKind }
  | { readonly kind: "list"; readonly element: Type }
  | { readonly kind: "map"; readonly key: Type; readonly value: Type }
  /** An object whose fields a schema names. */
  | { readonly kind: "object"; readonly name: string; readonly fields: ReadonlyMap<string, Type> }
  /** A type that only functions know, for example of parsed URLs. */
  | { readonly kind: "opaque"; readonly name: string }
  /** A parameter of an overload, for example the items of any list. */
  | { readonly kind: "parameter"; readonly name: string }
  /** Of the items of an empty list: whatever is asked for. */
  | { readonly kind: "free" };

const simple = (kind: SimpleKind): Type => ({ kind });

export const boolType = simple("bool");
export const intType = simple("int");
export const uintType = simple("uint");
export const doubleType = simple("double");
export const stringType = simple("string");
export const bytesType = simple("bytes");
export const nullType = simple("null_type");
export const timestampType = simple("timestamp");
export const durationType = simple("duration");
export const typeType = simple("type");
export const dynType = simple("dyn");
export const freeType: Type = { kind: "free" };
export const listOf = (element: Type): Type => ({ kind: "list", element });
export const mapOf = (key: Type, value: Type): Type => ({ kind: "map", key, value });
export const opaque = (name: string): Type => ({ kind: "opaque", name });

/** The name of a type in messages. */
export function typeName(type: Type): string {
  switch (type.kind) {
    case "list":
      return `list(${typeName(type.element)})`;
    case "map":
      return `map(${typeName(type.key)}, ${typeName(type.value)})`;
    case "object":
    case "opaque":
    case "parameter":
      return type.name;
    case "timestamp":
      return "google.protobuf.Timestamp";
    case "duration":
      return "google.protobuf.Duration";
    case "null_type":
      return "null";
    case "free":
      return "dyn";
    default:
      return type.kind;
  }
}

/** Whether nothing is known of the values of a type before an expression runs. */
export const isDynamic = (type: Type): boolean => type.kind === "dyn" || type.kind === "free";
