import {
  type DocumentationSource,
  definitionName,
  type GroupVersionKind,
  type MessageSchema,
  type OpenApiSchema,
  openApiDefinition,
  referencedMessages,
} from "@orchernetes/apimachinery";

/** Both spellings of an extension: this project's, and the one stock clients look for. */
export function extension(name: string, value: unknown): Readonly<Record<string, unknown>> {
  return { [`x-orchernetes-${name}`]: value, [`x-kubernetes-${name}`]: value };
}

/** What definitions of types contain besides their fields. */
export interface CollectorOptions {
  /** Returns the kinds of which a type is the schema. */
  readonly gvks: (schema: MessageSchema) => readonly GroupVersionKind[];
  /** The descriptions of types and fields. */
  readonly documentation: DocumentationSource;
  /** Whether fields with a fixed set of values list them. */
  readonly enums: boolean;
}

/** Collects the types that a document refers to, directly or through other types. */
export class SchemaCollector {
  readonly #version: 2 | 3;
  readonly #options: CollectorOptions;
  readonly #collected = new Map<string, MessageSchema>();

  constructor(version: 2 | 3, options: CollectorOptions) {
    this.#version = version;
    this.#options = options;
  }

  /** A reference to a type, which is then part of {@link definitions}. */
  ref(schema: MessageSchema): OpenApiSchema {
    const name = definitionName(schema);
    if (!this.#collected.has(name)) this.#collected.set(name, schema);
    return { $ref: (this.#version === 3 ? "#/components/schemas/" : "#/definitions/") + name };
  }

  /** The definitions of all types referred to, sorted by name. */
  definitions(): Readonly<Record<string, OpenApiSchema>> {
    const { gvks, documentation, enums } = this.#options;
    const made = new Map<string, OpenApiSchema>();
    const pending = [...this.#collected.values()];
    for (let schema = pending.pop(); schema !== undefined; schema = pending.pop()) {
      const name = definitionName(schema);
      if (made.has(name)) continue;
      made.set(
        name,
        openApiDefinition(schema, {
          version: this.#version,
          groupVersionKinds: gvks(schema),
          documentation,
          enums,
        }),
      );
      pending.push(...referencedMessages(schema));
    }
    return Object.fromEntries([...made].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
