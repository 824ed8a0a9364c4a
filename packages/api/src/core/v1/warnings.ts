import { quantityOf } from "@orchernetes/apimachinery";
import type { Container } from "./types/container.ts";
import type { PodSpec } from "./types/pod.ts";
import type { VolumeSource } from "./types/volume-sources.ts";

/** Volume sources that are on their way out, with the release that said so. */
const deprecatedSources: Partial<Record<keyof VolumeSource, string>> = {
  flocker: "v1.22, non-functional in v1.25+",
  gitRepo: "v1.11",
  glusterfs: "v1.25, non-functional in v1.26+",
  photonPersistentDisk: "v1.11, non-functional in v1.16+",
  quobyte: "v1.22, non-functional in v1.25+",
  scaleIO: "v1.16, non-functional in v1.22+",
  storageos: "v1.22, non-functional in v1.25+",
};

/**
 * What is allowed in a pod spec but hardly meant. Shown to the client as `Warning` headers.
 *
 * @param path path of the spec, `spec` or `spec.template.spec`
 */
export function podSpecWarnings(spec: PodSpec, path: string): string[] {
  const warnings: string[] = [];
  for (const [i, volume] of (spec.volumes ?? []).entries()) {
    for (const [source, since] of Object.entries(deprecatedSources)) {
      if (volume[source as keyof VolumeSource] !== undefined) {
        warnings.push(`${path}.volumes[${i}].${source}: deprecated in ${since}`);
      }
    }
  }
  duplicates(
    spec.hostAliases,
    ({ ip }) => ip,
    (i) => `${path}.hostAliases[${i}].ip`,
    warnings,
  );
  duplicates(
    spec.imagePullSecrets,
    ({ name }) => name,
    (i) => `${path}.imagePullSecrets[${i}].name`,
    warnings,
  );
  for (const list of ["initContainers", "containers"] as const) {
    for (const [i, container] of (spec[list] ?? []).entries()) {
      containerWarnings(container, `${path}.${list}[${i}]`, warnings);
    }
  }
  if ((spec.terminationGracePeriodSeconds ?? 0) < 0) {
    const text = "must be >= 0; negative values are invalid and will be treated as 1";
    warnings.push(`${path}.terminationGracePeriodSeconds: ${text}`);
  }
  return warnings;
}

function containerWarnings(container: Container, path: string, warnings: string[]): void {
  duplicates(
    container.env,
    ({ name }) => name,
    (i) => `${path}.env[${i}].name`,
    warnings,
  );
  for (const list of ["requests", "limits"] as const) {
    const amounts = container.resources?.[list] ?? {};
    for (const name of ["memory", "ephemeral-storage"]) {
      const amount = amounts[name];
      if (amount !== undefined && quantityOf(amount).nanos % 1_000_000_000n !== 0n) {
        const at = `${path}.resources.${list}[${name}]`;
        warnings.push(`${at}: fractional byte value "${amount}" is invalid, must be an integer`);
      }
    }
  }
}

function duplicates<T>(
  items: readonly T[] | undefined,
  key: (item: T) => string | undefined,
  path: (index: number) => string,
  warnings: string[],
): void {
  if (items === undefined || items.length < 2) {
    return;
  }
  const seen = new Set<string | undefined>();
  for (const [i, item] of items.entries()) {
    if (seen.has(key(item))) {
      warnings.push(`${path(i)}: duplicate name "${key(item) ?? ""}"`);
    }
    seen.add(key(item));
  }
}
