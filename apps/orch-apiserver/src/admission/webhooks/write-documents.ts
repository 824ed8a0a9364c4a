import { type ApiObject, apiVersionOf, canonicalize, type MessageSchema, Scale } from "@orchernetes/apimachinery";
import type {
  AdmissionAttributes,
  AdmissionContext,
  GroupVersionKind,
  MutatingAttributes,
  Registry,
} from "@orchernetes/apiserver";
import { isSameKind, type VersionedAttributes, versioned } from "../matching/versioned.ts";

/** Returns the schema of the objects of a write in one of their versions; undefined if the server does not know it. */
export function schemaOf(
  { definition, subresource, kind }: Pick<AdmissionAttributes, "definition" | "subresource" | "kind">,
  wanted: GroupVersionKind,
  registry: Registry,
): MessageSchema | undefined {
  const { subresources = {} } = definition ?? {};
  const found = Object.hasOwn(subresources, subresource) ? subresources[subresource] : undefined;
  if (found?.type === "scale") return Scale;
  if (found?.type === "handler") return found.schema;
  if (isSameKind(kind, wanted)) return definition?.schema;
  return registry.lookupKind(wanted.group, wanted.version, wanted.kind)?.definition.schema;
}

type WriteWork = Pick<AdmissionContext, "registry" | "signal">;

/** The objects of a write in the versions that webhooks want. Each version is converted once, however many webhooks want it. */
export class WriteDocuments {
  readonly #attributes: AdmissionAttributes | MutatingAttributes;
  readonly #context: WriteWork;
  readonly #known = new Map<string, Promise<VersionedAttributes>>();

  constructor(attributes: AdmissionAttributes | MutatingAttributes, context: WriteWork) {
    this.#attributes = attributes;
    this.#context = context;
  }

  /** Returns the objects as `kind`. They are shared by all webhooks, so callers must not change them. */
  in(kind: GroupVersionKind): Promise<VersionedAttributes> {
    const key = `${kind.group}/${kind.version}/${kind.kind}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = this.#make(kind);
    this.#known.set(key, made);
    return made;
  }

  /** Forgets the converted objects, because a webhook has changed the object. */
  forget(): void {
    this.#known.clear();
  }

  async #make(kind: GroupVersionKind): Promise<VersionedAttributes> {
    const own = this.#attributes.kind;
    // The draft contains the changes of the plugins before; other versions are converted from its canonical form.
    const attributes: AdmissionAttributes = {
      ...this.#attributes,
      object: this.#canonical(this.#attributes.object as ApiObject | undefined, own),
      // The target of a connection is no older version of its options.
      oldObject: this.#attributes.operation === "CONNECT" ? undefined : this.#attributes.oldObject,
    };
    const { object, oldObject } = await versioned(attributes, kind, this.#context.registry, this.#context);
    if (isSameKind(own, kind)) return { attributes, kind, object, oldObject: named(oldObject, kind) };
    return { attributes, kind, object: this.#canonical(object, kind), oldObject: this.#canonical(oldObject, kind) };
  }

  #canonical(object: ApiObject | undefined, kind: GroupVersionKind): ApiObject | undefined {
    if (object === undefined) return undefined;
    const schema = schemaOf(this.#attributes, kind, this.#context.registry);
    return named(schema === undefined ? object : (canonicalize(schema, object) as ApiObject), kind);
  }
}

/** Returns the object with its kind. */
function named(object: ApiObject | undefined, kind: GroupVersionKind): ApiObject | undefined {
  return object && { ...object, kind: kind.kind, apiVersion: apiVersionOf(kind) };
}
