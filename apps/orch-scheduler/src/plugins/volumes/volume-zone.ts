import { classNameOf, type Volume } from "@orchernetes/component-helpers";
import type { PodInfo } from "../../cache/pod-info.ts";
import { stateKey } from "../../framework/cycle-state.ts";
import {
  ClusterEvent,
  type FilterPlugin,
  lasting,
  neverOutdated,
  type PodRejection,
  type PreFilterPlugin,
} from "../../framework/interfaces.ts";
import { labelText } from "../../framework/shortfall.ts";
import type { Volumes } from "../../volumes/volumes.ts";
import { volumesHint } from "./volume-hints.ts";

const reasons = [lasting("node(s) had no available volume zone")];

const ZONE = "topology.orchernetes.io/zone";
const REGION = "topology.orchernetes.io/region";
/** The labels of zones and regions, with their newer names, which nodes may have instead. */
const labels: readonly (readonly [key: string, newer: string])[] = [
  ["failure-domain.beta.orchernetes.io/zone", ZONE],
  ["failure-domain.beta.orchernetes.io/region", REGION],
  [ZONE, ZONE],
  [REGION, REGION],
];

/** A label that a node must have, with one of the values. */
interface Restriction {
  readonly key: string;
  readonly newer: string;
  readonly values: ReadonlySet<string>;
}

/** Whether a node with these labels is in one of the zones or regions. */
const isIn = ({ key, newer, values }: Restriction, have: Readonly<Record<string, string>>): boolean =>
  values.has(have[key] ?? have[newer] ?? "");
const podRestrictions = stateKey<readonly Restriction[]>("VolumeZone");

/** The restrictions by a volume's labels. A label may list several zones, separated by "__". */
function restrictionsOf({ metadata }: Volume): readonly Restriction[] {
  return labels.flatMap(([key, newer]) => {
    const value = metadata.labels?.[key];
    const values = value?.split("__").map((one) => one.trim());
    // As in the original, a list with an empty entry is ignored.
    return values === undefined || values.includes("") ? [] : [{ key, newer, values: new Set(values) }];
  });
}

/** The restrictions by the volumes that are bound to the pod's claims, or the refusal of the pod. */
function restrictionsFor({ pod, namespace }: PodInfo, cluster: Volumes): readonly Restriction[] | PodRejection {
  const found: Restriction[] = [];
  for (const { persistentVolumeClaim } of pod.spec.volumes ?? []) {
    if (persistentVolumeClaim === undefined) continue;
    const { claimName } = persistentVolumeClaim;
    const claim = cluster.claim(namespace, claimName);
    if (claim === undefined) return { rejected: `persistentvolumeclaim "${claimName}" not found` };
    const { volumeName } = claim.spec;
    if (volumeName) {
      const volume = cluster.volume(volumeName);
      if (volume === undefined) return { rejected: `persistentvolume "${volumeName}" not found` };
      found.push(...restrictionsOf(volume));
      continue;
    }
    const className = classNameOf(claim);
    if (className === "") return { rejected: "PersistentVolumeClaim had no pv name and storageClass name" };
    const storageClass = cluster.storageClass(className);
    if (storageClass === undefined) return { rejected: `storageclass.storage.o8s.io "${className}" not found` };
    if (storageClass.volumeBindingMode !== "WaitForFirstConsumer") return { rejected: "PersistentVolume had no name" };
  }
  return found;
}

/**
 * Filter VolumeZone: a pod fits only nodes in the zones and regions that the labels of its volumes name. Nodes without
 * such labels are in all of them. Volumes with node affinity are checked by VolumeBinding.
 */
export function volumeZone(cluster: Volumes): PreFilterPlugin & FilterPlugin {
  return {
    name: "VolumeZone",
    events:
      ClusterEvent.StorageClass |
      ClusterEvent.Claim |
      ClusterEvent.PersistentVolume |
      ClusterEvent.NodeAdded |
      ClusterEvent.NodeLabels,
    hint: volumesHint,
    outdatedBy: neverOutdated,
    preFilter(info, _, state) {
      if (info.claims.length === 0) return "skip";
      const restrictions = restrictionsFor(info, cluster);
      if ("rejected" in restrictions) return restrictions;
      state.set(podRestrictions, restrictions);
      return restrictions.length === 0 ? "skip" : undefined;
    },
    filter(info, nodes, state) {
      if (info.claims.length === 0) return undefined;
      const restrictions = state.get(podRestrictions) ?? restrictionsFor(info, cluster);
      if ("rejected" in restrictions) return restrictions;
      if (restrictions.length === 0) return undefined;
      return {
        reasons,
        check(slot) {
          const have = nodes.nodeAt(slot)?.metadata.labels ?? {};
          if (!labels.some(([key]) => Object.hasOwn(have, key))) return 0;
          return restrictions.every((one) => isIn(one, have)) ? 0 : 1;
        },
        podChanged: "unaffected",
        readsAmountsOnly: true,
        shortfalls(slot) {
          const have = nodes.nodeAt(slot)?.metadata.labels ?? {};
          return restrictions
            .filter((one) => !isIn(one, have))
            .map(({ key, newer, values }) => ({
              what: `label ${key}`,
              needed: `In [${[...values].join(", ")}]`,
              available: labelText(have, Object.hasOwn(have, key) ? key : newer),
            }));
        },
      };
    },
  };
}
