import { keyOf } from "@orchernetes/apimachinery";
import type { PolicyTable } from "../policy-table.ts";
import type { PolicyWorld } from "./reference-model.ts";

/** A world without anything. */
export const emptyWorld: PolicyWorld = { namespaces: [], pods: [], policies: [] };

/** Gives a table what informers would report when one world becomes another one with the same namespaces. */
export function followWorld(
  table: PolicyTable,
  before: PolicyWorld,
  { namespaces, pods, policies }: PolicyWorld,
): void {
  const podKeys = new Set(pods.map(keyOf));
  for (const key of before.pods.map(keyOf)) if (!podKeys.has(key)) table.setPod(key, undefined);
  const policyKeys = new Set(policies.map(keyOf));
  for (const key of before.policies.map(keyOf)) if (!policyKeys.has(key)) table.setPolicy(key, undefined);
  for (const policy of policies) table.setPolicy(keyOf(policy), policy);
  for (const pod of pods) table.setPod(keyOf(pod), pod);
  for (const { metadata } of namespaces) table.setNamespace(metadata.name ?? "", metadata.labels ?? {});
}
