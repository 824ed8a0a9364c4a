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

/** What stored bytes hold. */
export interface StoredContent {
  readonly json: Buffer;
  /** Where it had to be decoded. */
  readonly object?: ApiObject;
  /** The bytes are of an earlier form of the schema, and `json` is what they are by now. */
  readonly outdated?: true;
}

/** The bytes in which objects of one kind are stored. */
export class StoredForm {
  readonly #definition: ResourceDefinition;
  readonly #mediaType: StorageMediaType;
  #holdsRaw: boolean | undefined;

  /** @param mediaType of new writes; custom resources, which have no protobuf form, are stored as JSON then */
  constructor(definition: ResourceDefinition, mediaType: StorageMediaType) {
    this.#definition = definition;
    const isWritten = mediaType !== protobufMediaType || capabilitiesOf(definition).protobuf;
    this.#mediaType = isWritten ? mediaType : "application/json";
  }

  /** What is stored for a canonical object, given its JSON. */
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

  /** JSON text of a canonical object. */
  text(object: ApiObject): string {
    const text = JSON.stringify(object);
    // Schemas are evaluated when they are first used.
    this.#holdsRaw ??= holdsRawJson(this.#definition.schema as MessageSchema);
    return this.#holdsRaw ? goJsonText(text) : text;
  }

  /** Canonical JSON of stored bytes. @throws on bytes of no form */
  read(value: Buffer): StoredContent {
    const { schema } = this.#definition as { readonly schema: MessageSchema };
    const { custom } = schema;
    const isJson = value[0] === OPEN_OBJECT;
    if (isJson && custom === undefined) return { json: value };
    const object = isJson ? (parseJsonText(value.toString()) as ApiObject) : this.#decoded(value);
    // What an earlier schema of a custom resource stored is shown as the present one has it; mostly that is the same.
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

  /** Protobuf has no place for kind and version of objects inside of others: defaults bring them back. */
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
