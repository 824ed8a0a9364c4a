import {
  type ApiObject,
  canonicalize,
  capabilitiesOf,
  type Draft,
  decodeProtobuf,
  encodeProtobuf,
  goJsonText,
  holdsRawJson,
  isProtobuf,
  type MessageSchema,
  parseJsonText,
  protobufMediaType,
  type ResourceDefinition,
  yamlLibrary,
} from "@orchernetes/apimachinery";
import { assertNever } from "@orchernetes/kernel";
import type { StorageMediaType } from "../interfaces/index.ts";

const OPEN_OBJECT = 0x7b;

/** The content of stored bytes. */
export interface StoredContent {
  readonly json: Buffer;
  /** The object, if it had to be decoded. */
  readonly object?: ApiObject;
  /** Set if the bytes are of an earlier form of the schema; `json` is their content in the present one. */
  readonly outdated?: true;
}

/**
 * The bytes in which objects of one kind are stored: JSON, YAML or protobuf (`--storage-media-type`).
 *
 * Everything that is read may have been written by another server with another setting, so the form is recognized by
 * the bytes themselves: protobuf begins with `o8s` and a NUL (the magic number of upstream's envelope, renamed), JSON
 * of an object with `{`, and everything else is YAML. JSON is the only form from which responses can be copied; of the
 * others the watch cache keeps the JSON as well.
 */
export class StoredForm {
  readonly #definition: ResourceDefinition;
  readonly #mediaType: StorageMediaType;
  #holdsRaw: boolean | undefined;

  /** @param mediaType of new writes; custom resources, which have no protobuf form, are stored as JSON instead of it */
  constructor(definition: ResourceDefinition, mediaType: StorageMediaType) {
    this.#definition = definition;
    const isWritten = mediaType !== protobufMediaType || capabilitiesOf(definition).protobuf;
    this.#mediaType = isWritten ? mediaType : "application/json";
  }

  /** The bytes to store for a canonical object, given its JSON. */
  encode(object: ApiObject, json: Buffer): Buffer {
    switch (this.#mediaType) {
      case "application/json":
        return json;
      case "application/yaml":
        return Buffer.from(yamlLibrary().stringify(object));
      case "application/vnd.orchernetes.protobuf":
        return encodeProtobuf(this.#definition.schema as MessageSchema<ApiObject>, object);
      default:
        return assertNever(this.#mediaType);
    }
  }

  /**
   * The JSON of a canonical object. Fields with raw JSON of clients are written as Go's encoder would, which escapes
   * `<`, `>` and `&`.
   */
  text(object: ApiObject): string {
    const text = JSON.stringify(object);
    // Schemas are evaluated when they are first used.
    this.#holdsRaw ??= holdsRawJson(this.#definition.schema as MessageSchema);
    return this.#holdsRaw ? goJsonText(text) : text;
  }

  /**
   * The canonical JSON of stored bytes. JSON of built-in kinds is returned as it is, without decoding.
   *
   * @throws on bytes of no known form
   */
  read(value: Buffer): StoredContent {
    const { schema } = this.#definition as { readonly schema: MessageSchema };
    const { custom } = schema;
    const isJson = value[0] === OPEN_OBJECT;
    if (isJson && custom === undefined) return { json: value };
    const object = isJson ? (parseJsonText(value.toString()) as ApiObject) : this.#decoded(value);
    // A custom resource's schema can change while objects of the earlier one are stored. They are shown in the form of
    // the present schema, which mostly makes no difference.
    const now = custom?.restored?.(object as unknown as Readonly<Record<string, unknown>>) as ApiObject | undefined;
    if (now !== undefined) return { json: Buffer.from(JSON.stringify(now)), object: now, outdated: true };
    return { json: isJson ? value : Buffer.from(this.text(object)), object };
  }

  #decoded(value: Buffer): ApiObject {
    const schema = this.#definition.schema as MessageSchema<ApiObject>;
    return isProtobuf(value)
      ? this.#defaulted(decodeProtobuf(schema, value))
      : canonicalize<ApiObject>(schema, yamlLibrary().parse(value.toString()));
  }

  /**
   * Protobuf messages of objects inside other objects (templates) have no kind and version; defaulting sets them again.
   */
  #defaulted(decoded: ApiObject): ApiObject {
    const { schema, applyDefaults } = this.#definition;
    if (applyDefaults === undefined) return decoded;
    applyDefaults(decoded as Draft<ApiObject>);
    return canonicalize(schema, decoded) as ApiObject;
  }

  /** Whether stored bytes have the form of new writes. */
  matches(value: Buffer): boolean {
    if (value[0] === OPEN_OBJECT) return this.#mediaType === "application/json";
    return this.#mediaType === (isProtobuf(value) ? protobufMediaType : "application/yaml");
  }
}
