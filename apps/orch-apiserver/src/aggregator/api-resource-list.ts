import type { RemoteResource } from "@orchernetes/apiserver";

/** Maximum number of resources of a group version that are listed; further ones are ignored. */
const maxResources = 2000;

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];

/**
 * Parses an APIResourceList. Only the known fields with values of the right type are copied, because the other server is not trusted.
 *
 * @throws Error if the text is not an APIResourceList
 */
export function parseApiResourceList(body: Buffer): readonly RemoteResource[] {
  const list: unknown = JSON.parse(body.toString("utf8"));
  if (!isRecord(list) || !Array.isArray(list.resources)) throw new Error("found no APIResourceList");
  return list.resources
    .slice(0, maxResources)
    .filter(isRecord)
    .filter(({ name }) => textOf(name) !== "")
    .map(({ name, singularName, namespaced, kind, group, version, verbs, shortNames, categories }) => ({
      name: textOf(name),
      singularName: textOf(singularName),
      namespaced: namespaced === true,
      kind: textOf(kind),
      ...(textOf(group) === "" ? {} : { group: textOf(group) }),
      ...(textOf(version) === "" ? {} : { version: textOf(version) }),
      verbs: textsOf(verbs),
      shortNames: textsOf(shortNames),
      categories: textsOf(categories),
    }));
}
