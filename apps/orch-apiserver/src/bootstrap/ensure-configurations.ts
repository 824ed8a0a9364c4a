import { isDeepStrictEqual } from "node:util";
import {
  type ApiObject,
  type Draft,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type ResourceDefinition,
} from "@orchernetes/apimachinery";
import type { Registry, ResourceStore } from "@orchernetes/apiserver";

/** Annotation: whether the server keeps the spec of the object up to date (`true`) or leaves it to administrators. */
const autoUpdateAnnotation = "apf.orchernetes.io/autoupdate-spec";

const writer = { fieldManager: "api-priority-and-fairness-config-producer-v1" } as const;

/** An object of priority and fairness. */
interface Configuration<S> extends ApiObject {
  readonly spec?: S;
  readonly status?: object;
}

/** Specs by the names of their objects. */
export interface Configurations<S> {
  /** Mandatory: kept up to date regardless of the annotation. */
  readonly mandatory: Readonly<Record<string, S>>;
  /** Suggested: kept up to date until an administrator changes them. */
  readonly suggested: Readonly<Record<string, S>>;
}

/** The values that Go's `strconv.ParseBool` takes; undefined for all others. */
function parseBool(text: string | undefined): boolean | undefined {
  if (["1", "t", "T", "true", "TRUE", "True"].includes(text ?? "")) return true;
  return ["0", "f", "F", "false", "FALSE", "False"].includes(text ?? "") ? false : undefined;
}

/** Default without the annotation: an object is kept up to date as long as its spec is unchanged. */
const isKept = ({ metadata }: ApiObject): boolean =>
  parseBool(metadata.annotations?.[autoUpdateAnnotation]) ?? metadata.generation === 1;

/**
 * Creates missing objects and restores the spec of those that are kept up to date: mandatory objects, and suggested ones with
 * annotation `apf.orchernetes.io/autoupdate-spec: "true"`. A missing annotation is added: `true` to an object of generation 1, `false`
 * to one that has been changed. Annotated objects that are neither mandatory nor suggested any more are deleted.
 */
export async function ensureConfigurations<S, T extends Configuration<S>>(
  registry: Registry,
  definition: ResourceDefinition<T>,
  { mandatory, suggested }: Configurations<S>,
): Promise<void> {
  const store = registry.forDefinition(definition);
  const { items } = await store.list();
  const present = new Map(items.map((item) => [item.metadata.name ?? "", item as ApiObject as T]));
  for (const [specs, always] of [
    [suggested, false],
    [mandatory, true],
  ] as const)
    for (const [name, spec] of Object.entries(specs)) {
      const wanted = withDefaults(definition, name, spec);
      const found = present.get(name);
      if (found === undefined) await create(store, wanted);
      else if (changed(found, wanted, always)) await update(store, wanted, always);
    }
  for (const [name, { metadata }] of present) {
    if (Object.hasOwn(mandatory, name) || Object.hasOwn(suggested, name)) continue;
    if (parseBool(metadata.annotations?.[autoUpdateAnnotation]) === true) await remove(store, metadata);
  }
}

function withDefaults<S, T extends Configuration<S>>(definition: ResourceDefinition<T>, name: string, spec: S): T {
  const metadata = { name, annotations: { [autoUpdateAnnotation]: "true" } };
  const object = structuredClone({ metadata, spec, status: {} }) as unknown as T;
  definition.applyDefaults?.(object as Draft<T>);
  return object;
}

/** The changes needed of annotation and spec; undefined if both are right. */
function changed<S, T extends Configuration<S>>(found: T, { spec }: T, always: boolean) {
  const kept = always || isKept(found);
  const annotated = parseBool(found.metadata.annotations?.[autoUpdateAnnotation]) === kept;
  const replaces = kept && !isDeepStrictEqual(found.spec, spec);
  if (annotated && !replaces) return undefined;
  return { ...(!annotated && { annotation: String(kept) }), ...(replaces && { spec }) };
}

async function create<T extends ApiObject>(store: ResourceStore<T>, object: T): Promise<void> {
  await store.create(object, writer).catch((error: unknown) => {
    // Another server created it first.
    if (!isAlreadyExists(error)) throw error;
  });
}

async function update<S, T extends Configuration<S>>(
  store: ResourceStore<T>,
  wanted: T,
  always: boolean,
): Promise<void> {
  const change = (draft: Draft<T>, current: ApiObject) => {
    const wants = changed(current as T, wanted, always);
    if (wants === undefined) return false;
    const target = draft as { metadata: { annotations?: Record<string, string> }; spec?: unknown };
    if (wants.annotation !== undefined)
      target.metadata.annotations = { ...target.metadata.annotations, [autoUpdateAnnotation]: wants.annotation };
    if (wants.spec !== undefined) target.spec = structuredClone(wants.spec);
    return true;
  };
  await store.update({ namespace: "", name: wanted.metadata.name ?? "" }, change, writer).catch((error: unknown) => {
    // Deleted in the meantime: the next run creates it.
    if (!isNotFound(error)) throw error;
  });
}

async function remove<T extends ApiObject>(
  store: ResourceStore<T>,
  { name = "", resourceVersion = "" }: ApiObject["metadata"],
): Promise<void> {
  await store.delete({ namespace: "", name }, { preconditions: { resourceVersion } }).catch((error: unknown) => {
    // Deleted or changed in the meantime: the next run handles it.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  });
}
