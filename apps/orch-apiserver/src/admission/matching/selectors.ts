import { core } from "@orchernetes/api";
import { type ApiObject, labelSelectorAsSelector } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext } from "@orchernetes/apiserver";
import type { MatchCriteria } from "./match-criteria.ts";

/** The part of a write that selectors are compared with. */
type SelectorSubject = Pick<
  AdmissionAttributes,
  "operation" | "resource" | "subresource" | "namespace" | "name" | "oldObject"
> & { readonly object: Pick<ApiObject, "metadata"> | undefined };

type Labels = Readonly<Record<string, string>>;

/** Whether the write is about a namespace itself, or a subresource of one. */
const isNamespace = ({ resource }: Pick<AdmissionAttributes, "resource">): boolean =>
  resource.resource === "namespaces";

/**
 * The namespace that a write is about: for namespaces and their subresources the namespace itself. "" for other objects without a
 * namespace.
 */
export function namespaceOf(subject: Pick<AdmissionAttributes, "resource" | "namespace" | "name">): string {
  const { group } = subject.resource;
  return isNamespace(subject) && group === "" ? subject.name : subject.namespace;
}

/**
 * Whether the selector selects the namespace of the write. Cluster-scoped objects are always selected; a namespace that is created
 * or updated counts with the labels that it will have.
 *
 * @throws ApiError NotFound when the namespace does not exist
 */
export function matchesNamespace(
  { namespaceSelector }: Pick<MatchCriteria, "namespaceSelector">,
  subject: SelectorSubject,
  context: Pick<AdmissionContext, "registry" | "signal">,
): boolean | Promise<boolean> {
  const name = namespaceOf(subject);
  if (name === "" && !isNamespace(subject)) return true;
  const selector = labelSelectorAsSelector(namespaceSelector);
  if (selector.empty) return true;
  const written = subject.operation === "CREATE" || subject.operation === "UPDATE";
  if (isNamespace(subject) && subject.subresource === "" && written)
    return selector.matches(subject.object?.metadata?.labels);
  const labels = labelsOfNamespace(name, context);
  return labels instanceof Promise ? labels.then((late) => selector.matches(late)) : selector.matches(labels);
}

/** The watch cache may not have seen a namespace that was just created: then the store is asked. */
function labelsOfNamespace(
  name: string,
  { registry, signal }: Pick<AdmissionContext, "registry" | "signal">,
): Labels | undefined | Promise<Labels | undefined> {
  const store = registry.forDefinition(core.namespaces);
  const ref = { namespace: "", name };
  const cached = store.cached(ref);
  if (cached !== undefined) return cached.metadata.labels;
  return store.get(ref, { signal }).then(({ metadata }) => metadata.labels);
}

/** Whether the selector selects the object or the stored one. Objects without metadata, such as the options of CONNECT, are not selected. */
export function matchesObject(
  { objectSelector }: Pick<MatchCriteria, "objectSelector">,
  { operation, object, oldObject }: Pick<SelectorSubject, "operation" | "object" | "oldObject">,
): boolean {
  const selector = labelSelectorAsSelector(objectSelector);
  if (selector.empty) return true;
  if (operation === "CONNECT") return false;
  const selects = (one: Pick<ApiObject, "metadata"> | undefined): boolean =>
    one?.metadata !== undefined && selector.matches(one.metadata.labels);
  return selects(object) || selects(oldObject);
}
