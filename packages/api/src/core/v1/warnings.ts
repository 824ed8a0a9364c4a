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
  spec.volumes?.forEach((volume, i) => {
    for (const source in deprecatedSources) {
      if (volume[source as keyof VolumeSource] !== undefined) {
        warnings.push(
          `${path}.volumes[${i}].${source}: deprecated in ${deprecatedSources[source as keyof VolumeSource]}`,
        );
      }
    }
  });
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

const containerLists = ["initContainers", "containers"] as const;
const amountLists = ["requests", "limits"] as const;
const wholeAmounts = ["memory", "ephemeral-storage"] as const;

/** @param path of the container, asked for when there is something to say of it */
function containerWarnings(container: Container, path: () => string, warnings: string[]): void {
  duplicates(
    container.env,
    ({ name }) => name,
    (i) => `${path()}.env[${i}].name`,
    warnings,
  );
  for (const list of amountLists) {
    const amounts = container.resources?.[list];
    if (amounts === undefined) continue;
    for (const name of wholeAmounts) {
      const amount = amounts[name];
      if (amount !== undefined && quantityOf(amount).nanos % 1_000_000_000n !== 0n) {
        const at = `${path()}.resources.${list}[${name}]`;
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
  for (let i = 0; i < items.length; i++) {
    const name = key(items[i] as T);
    if (seen.has(name)) warnings.push(`${path(i)}: duplicate name "${name ?? ""}"`);
    seen.add(name);
  }
}
