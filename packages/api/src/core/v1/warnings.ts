import { quantityOf } from "@orchernetes/apimachinery";
import { nodeLabelsWarnings, nodeLabelWarning, nodeTermWarnings } from "./node-label-warnings.ts";
import type { Container } from "./types/container.ts";
import type { PodSpec } from "./types/pod.ts";
import type { PodTemplateSpec } from "./types/pod-template.ts";
import type { VolumeSource } from "./types/volume-sources.ts";

/** Deprecated volume sources, with the release that deprecated them. */
export const deprecatedVolumes: Partial<Record<keyof VolumeSource, string>> = {
  flocker: "v1.22, non-functional in v1.25+",
  gitRepo: "v1.11",
  glusterfs: "v1.25, non-functional in v1.26+",
  photonPersistentDisk: "v1.11, non-functional in v1.16+",
  quobyte: "v1.22, non-functional in v1.25+",
  scaleIO: "v1.16, non-functional in v1.22+",
  storageos: "v1.22, non-functional in v1.25+",
};

/** Annotations that no longer have an effect. */
const deprecatedAnnotations: Readonly<Record<string, string>> = {
  "scheduler.alpha.orchernetes.io/critical-pod": 'non-functional in v1.16+; use the "priorityClassName" field instead',
  "security.alpha.orchernetes.io/sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
  "security.alpha.orchernetes.io/unsafe-sysctls": 'non-functional in v1.11+; use the "sysctls" field instead',
};
const seccompOfPod = "seccomp.security.alpha.orchernetes.io/pod";
const seccompOfContainer = "container.seccomp.security.alpha.orchernetes.io/";
const seccompText = 'non-functional in v1.27+; use the "seccompProfile" field instead';

/**
 * Warnings for fields of a pod or pod template that are valid but probably unintended, or no longer have an effect. The client gets
 * them as `Warning` headers.
 *
 * @param at path of the template, such as `spec.template`; "" for a pod
 */
export function podWarnings({ metadata, spec }: Pick<PodTemplateSpec, "metadata" | "spec">, at: string): string[] {
  const parent = at === "" ? "" : `${at}.`;
  const path = `${parent}spec`;
  const warnings = [
    ...nodeWarnings(spec, path),
    ...annotationWarnings(metadata?.annotations, spec, `${parent}metadata.annotations`),
  ];
  spec.volumes?.forEach((volume, i) => {
    for (const source in deprecatedVolumes) {
      if (volume[source as keyof VolumeSource] !== undefined) {
        warnings.push(
          `${path}.volumes[${i}].${source}: deprecated in ${deprecatedVolumes[source as keyof VolumeSource]}`,
        );
      }
    }
  });
  duplicates(
    spec.hostAliases,
    ({ ip }) => ip,
    (i, ip) => `${path}.hostAliases[${i}].ip: duplicate ip "${ip}"`,
    warnings,
  );
  duplicates(
    spec.imagePullSecrets,
    ({ name }) => name,
    (i, name) => `${path}.imagePullSecrets[${i}].name: duplicate name "${name}"`,
    warnings,
  );
  spec.imagePullSecrets?.forEach(({ name }, i) => {
    if (!name) warnings.push(`${path}.imagePullSecrets[${i}].name: invalid empty name ""`);
  });
  fractionWarnings(spec.overhead, () => `${path}.overhead`, warnings);
  for (const list of containerLists) {
    spec[list]?.forEach((container, i) => {
      containerWarnings(container, () => `${path}.${list}[${i}]`, warnings);
    });
  }
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    const text = "must be >= 0; negative values are invalid and will be treated as 1";
    warnings.push(`${path}.terminationGracePeriodSeconds: ${text}`);
  }
  return warnings;
}

/** Warnings for deprecated node labels in selectors and affinities. */
function nodeWarnings({ nodeSelector, affinity, topologySpreadConstraints }: PodSpec, path: string): string[] {
  const warnings = nodeLabelsWarnings(nodeSelector, (label) => `${path}.nodeSelector[${label}]`);
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  const at = `${path}.affinity.nodeAffinity`;
  required?.forEach((term, i) => {
    const place = `${at}.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[${i}]`;
    warnings.push(...nodeTermWarnings(term, place));
  });
  affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.forEach(({ preference }, i) => {
    const place = `${at}.preferredDuringSchedulingIgnoredDuringExecution[${i}].preference`;
    warnings.push(...nodeTermWarnings(preference, place));
  });
  topologySpreadConstraints?.forEach(({ topologyKey }, i) => {
    const text = nodeLabelWarning(topologyKey);
    if (text !== undefined) {
      warnings.push(`${path}.topologySpreadConstraints[${i}].topologyKey: ${topologyKey} is ${text}`);
    }
  });
  return warnings;
}

function annotationWarnings(
  annotations: Readonly<Record<string, string>> | undefined,
  spec: PodSpec,
  path: string,
): string[] {
  if (annotations === undefined) return [];
  const has = (key: string): boolean => Object.hasOwn(annotations, key);
  const warnings = Object.entries(deprecatedAnnotations)
    .filter(([key]) => has(key))
    .map(([key, text]) => `${path}[${key}]: ${text}`);
  if (has(seccompOfPod) && spec.securityContext?.seccompProfile === undefined) {
    warnings.push(`${path}[${seccompOfPod}]: ${seccompText}`);
  }
  for (const list of containerLists) {
    for (const { name, securityContext } of spec[list] ?? []) {
      const key = `${seccompOfContainer}${name}`;
      if (has(key) && securityContext?.seccompProfile === undefined) warnings.push(`${path}[${key}]: ${seccompText}`);
    }
  }
  return warnings;
}

const containerLists = ["initContainers", "containers"] as const;
const amountLists = ["requests", "limits"] as const;
const wholeAmounts = ["memory", "ephemeral-storage"] as const;

/** @param path of the container, asked for when there is something to say of it */
function containerWarnings(container: Container, path: () => string, warnings: string[]): void {
  duplicates(
    container.env,
    ({ name }) => name,
    (i, name) => `${path()}.env[${i}].name: duplicate name "${name}"`,
    warnings,
  );
  for (const list of amountLists) {
    fractionWarnings(container.resources?.[list], () => `${path()}.resources.${list}`, warnings);
  }
}

/** Warnings for quantities with fractional bytes. */
function fractionWarnings(
  amounts: Readonly<Record<string, string>> | undefined,
  path: () => string,
  warnings: string[],
): void {
  if (amounts === undefined) return;
  for (const name of wholeAmounts) {
    const amount = amounts[name];
    if (amount !== undefined && quantityOf(amount).nanos % 1_000_000_000n !== 0n) {
      warnings.push(`${path()}[${name}]: fractional byte value "${amount}" is invalid, must be an integer`);
    }
  }
}

function duplicates<T>(
  items: readonly T[] | undefined,
  key: (item: T) => string | undefined,
  text: (index: number, key: string) => string,
  warnings: string[],
): void {
  if (items === undefined || items.length < 2) {
    return;
  }
  const seen = new Set<string | undefined>();
  for (const [i, item] of items.entries()) {
    const name = key(item);
    if (seen.has(name)) warnings.push(text(i, name ?? ""));
    seen.add(name);
  }
}
