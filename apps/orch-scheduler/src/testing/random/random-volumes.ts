import type { core, storage } from "@orchernetes/api";
import type { Stored } from "@orchernetes/apimachinery";
import {
  bindCompleted,
  type Claim,
  type StorageClass,
  selectedNode,
  type Volume,
} from "@orchernetes/component-helpers";
import { claim, storageClass, volume } from "@orchernetes/testkit";
import type { Choices } from "./choices.ts";
import { NAMESPACES, ZONE } from "./random-pod.ts";

const DRIVER = "csi.example.com";
const CLASSES = ["wait", "static", "now", ""] as const;

export function randomClasses(c: Choices): StorageClass[] {
  const classes = [
    storageClass("wait", {
      provisioner: c.pick(DRIVER, "orchernetes.io/aws-ebs", "orchernetes.io/gce-pd"),
      volumeBindingMode: "WaitForFirstConsumer",
      ...c.maybe(0.3, () => ({
        allowedTopologies: [{ matchLabelExpressions: [{ key: ZONE, values: ["z1", "z2"] }] }],
      })),
    }),
    storageClass("static", {
      provisioner: "orchernetes.io/no-provisioner",
      volumeBindingMode: "WaitForFirstConsumer",
    }),
    storageClass("now", { provisioner: DRIVER }),
  ];
  return classes.filter(() => c.chance(0.95));
}

export function randomClaims(c: Choices): Claim[] {
  return NAMESPACES.flatMap((namespace) =>
    Array.from({ length: 8 }, (_, i): Claim => {
      const name = `c${i}`;
      const bound = c.chance(0.4);
      const one = claim(name, {
        size: c.pick("1Gi", "2Gi", "5Gi"),
        className: c.pick(...CLASSES, "wait", "wait", "static"),
        modes: c.pick(["ReadWriteOnce"], ["ReadWriteOncePod"], ["ReadWriteOnce", "ReadOnlyMany"]),
        ...(bound && { volumeName: `pv${c.below(7)}` }),
        ...c.maybe(0.1, () => ({ volumeMode: "Block" as const })),
        ...c.maybe(0.1, () => ({ selector: { kind: "good" } })),
        annotations: {
          ...c.maybe(bound ? 0.9 : 0, () => ({ [bindCompleted]: "yes" })),
          ...c.maybe(bound ? 0 : 0.15, () => ({ [selectedNode]: `node-${c.below(4)}` })),
        },
        status: { phase: c.chance(0.03) ? "Lost" : bound ? "Bound" : "Pending" },
        deleting: c.chance(0.02),
      });
      return { ...one, metadata: { ...one.metadata, namespace, uid: `uid-${namespace}-${name}` } };
    }).filter(() => c.chance(0.97)),
  );
}

const place = (c: Choices): Partial<core.PersistentVolumeSpec> =>
  c.pick<Partial<core.PersistentVolumeSpec>>(
    {},
    {},
    {
      nodeAffinity: {
        required: {
          nodeSelectorTerms: [
            { matchExpressions: [{ key: ZONE, operator: "In", values: c.some(["z1", "z2"]).concat("z1") }] },
          ],
        },
      },
    },
  );

export function randomPersistentVolumes(c: Choices): Volume[] {
  return c.many(4, 7, (i): Volume => {
    const id = `disk${c.below(4)}`;
    const source = c.pick<Partial<core.PersistentVolumeSpec>>(
      { csi: { driver: DRIVER, volumeHandle: id } },
      { awsElasticBlockStore: { volumeID: id } },
      { gcePersistentDisk: { pdName: id } },
      { azureDisk: { diskName: id, diskURI: id } },
      { hostPath: { path: "/x" } },
    );
    const isGce = source.gcePersistentDisk !== undefined;
    const one = volume(`pv${i}`, {
      size: c.pick("1Gi", "2Gi", "10Gi"),
      className: c.pick("wait", "static", ""),
      modes: c.pick(["ReadWriteOnce"], ["ReadWriteOnce", "ReadOnlyMany"], ["ReadWriteOncePod"], ["ReadOnlyMany"]),
      phase: c.pick("Available", "Available", "Available", "Bound", "Released"),
      labels: {
        ...c.maybe(0.3, () => ({ kind: "good" })),
        ...c.maybe(isGce ? 0 : 0.25, () => ({
          [c.pick(ZONE, "failure-domain.beta.orchernetes.io/zone")]: c.pick("z1", "z2", "z1__z2", "z1__"),
        })),
      },
      source: { ...source, ...place(c) },
      ...c.maybe(0.1, () => ({ volumeMode: "Block" as const })),
      deleting: c.chance(0.03),
    });
    if (!c.chance(0.2)) return one;
    const namespace = c.pick(...NAMESPACES);
    const name = `c${c.below(8)}`;
    const uid = c.pick({}, { uid: `uid-${namespace}-${name}` }, { uid: "uid-of-another" });
    return { ...one, spec: { ...one.spec, claimRef: { namespace, name, ...uid } } };
  });
}

const clusterMeta = (name: string) => ({
  name,
  uid: name,
  resourceVersion: "1",
  creationTimestamp: "2024-01-01T00:00:00Z",
});

export function randomCsiNode(c: Choices, name: string): Stored<storage.CSINode> {
  return {
    metadata: {
      ...clusterMeta(name),
      ...c.maybe(0.5, () => ({
        annotations: {
          "storage.alpha.orchernetes.io/migrated-plugins": c
            .some(["orchernetes.io/gce-pd", "orchernetes.io/aws-ebs"])
            .join(","),
        },
      })),
    },
    spec: {
      drivers: c.some([DRIVER, "ebs.csi.aws.com", "pd.csi.storage.gke.io"]).map((driver) => ({
        name: driver,
        nodeID: name,
        ...c.maybe(0.8, () => ({ allocatable: { count: c.below(3) } })),
      })),
    },
  } as Stored<storage.CSINode>;
}

export function randomDrivers(c: Choices): Stored<storage.CSIDriver>[] {
  return c.chance(0.5)
    ? [{ metadata: clusterMeta(DRIVER), spec: { storageCapacity: c.chance(0.7) } } as Stored<storage.CSIDriver>]
    : [];
}

export function randomCapacities(c: Choices): Stored<storage.CSIStorageCapacity>[] {
  return c.many(0, 3, (i) => ({
    metadata: { ...clusterMeta(`cap${i}`), namespace: "n1" },
    storageClassName: c.pick("wait", "now"),
    ...c.maybe(0.8, () => ({ nodeTopology: c.pick({}, { matchLabels: { [ZONE]: "z1" } }) })),
    ...c.maybe(0.8, () => ({ capacity: c.pick("1Gi", "3Gi", "9Gi") })),
    ...c.maybe(0.3, () => ({ maximumVolumeSize: c.pick("1Gi", "3Gi") })),
  })) as Stored<storage.CSIStorageCapacity>[];
}
