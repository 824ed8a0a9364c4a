import type { apiextensions } from "@orchernetes/api";

type Spec = apiextensions.CustomResourceDefinitionSpec;
type Version = apiextensions.CustomResourceDefinitionVersion;

/**
 * Whether a version was stored as it is under older rules, and so stays valid. Only definitions from the time of v1beta1, which preserve
 * unknown fields everywhere, can be: such a version needs no structural schema until it changes.
 */
export function isKept(version: Version, { preserveUnknownFields }: Spec, old: Spec | undefined): boolean {
  if (preserveUnknownFields !== true) return false;
  const before = old?.versions.find(({ name }) => name === version.name);
  return before !== undefined && JSON.stringify(before) === JSON.stringify(version);
}
