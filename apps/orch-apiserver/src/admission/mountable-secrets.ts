import type { core } from "@orchernetes/api";
import { podSecretUses } from "../authorization/node/pod-references.ts";

/** Annotation of a service account that restricts its pods to the secrets that the account lists. */
const ANNOTATION = "orchernetes.io/enforce-mountable-secrets";
/** Annotation values that mean true. */
const TRUE = new Set(["1", "t", "T", "true", "TRUE", "True"]);

/** Whether the pods of the account are restricted to the secrets that it lists. */
export const enforcesMountableSecrets = (account: core.ServiceAccount): boolean =>
  TRUE.has(account.metadata.annotations?.[ANNOTATION] ?? "");

/**
 * Why a pod may not use one of its secrets; undefined if it may use all of them. Volumes and environment variables may use the
 * account's `secrets`, image pulls its `imagePullSecrets`.
 */
export function secretRefusal(account: core.ServiceAccount, pod: Pick<core.Pod, "spec">): string | undefined {
  const mountable = new Set(account.secrets?.map(({ name }) => name));
  const pulling = new Set(account.imagePullSecrets?.map(({ name }) => name));
  const name = account.metadata.name ?? "";
  for (const { secret, where } of podSecretUses(pod.spec))
    if (!mountable.has(secret))
      return `${where} secret.secretName="${secret}" is not allowed because service account ${name} does not reference that secret`;
  for (const [index, pull] of (pod.spec.imagePullSecrets ?? []).entries())
    if (!pulling.has(pull.name))
      return `imagePullSecrets[${index}].name="${pull.name ?? ""}" is not allowed because service account ${name} does not reference that imagePullSecret`;
  return undefined;
}
