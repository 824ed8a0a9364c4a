import type { core } from "@orchernetes/api";
import type { Volume } from "../volumes-and-claims.ts";
import type { MigratedField } from "./migrated-plugins.ts";

/** Label of a zone. */
export const zone = "topology.orchernetes.io/zone";
/** The older name of {@link zone}. */
export const betaZone = "failure-domain.beta.orchernetes.io/zone";
const region = "topology.orchernetes.io/region";
const betaRegion = "failure-domain.beta.orchernetes.io/region";

/** The zones of a label, which are separated by "__". */
export const splitZones = (value: string): readonly string[] => value.split("__");

/** The labels of nodes by which drivers name zones and regions. */
interface TopologyKeys {
  readonly zone: string;
  /** Without it, regions keep the label that every node has. */
  readonly region?: string;
}

/** By the field of the volume; absent for kinds that are not bound to zones. */
const topologyKeys: Readonly<Partial<Record<MigratedField, TopologyKeys>>> = {
  awsElasticBlockStore: { zone: "topology.ebs.csi.aws.com/zone" },
  cinder: { zone: "topology.cinder.csi.openstack.org/zone" },
  gcePersistentDisk: { zone: "topology.gke.io/zone" },
  vsphereVolume: { zone: "topology.csi.vmware.com/zone", region: "topology.csi.vmware.com/region" },
};

type Term = core.NodeSelectorTerm;

const termsOf = ({ spec }: Volume): readonly Term[] => spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];

const withTerms = (volume: Volume, nodeSelectorTerms: readonly Term[]): Volume => ({
  ...volume,
  spec: { ...volume.spec, nodeAffinity: { ...volume.spec.nodeAffinity, required: { nodeSelectorTerms } } },
});

const valuesOf = (volume: Volume, key: string): readonly string[] =>
  termsOf(volume).flatMap(({ matchExpressions = [] }) =>
    matchExpressions.flatMap((one) => (one.key === key ? (one.values ?? []) : [])),
  );

const renamed = (volume: Volume, from: string, to: string): Volume =>
  withTerms(
    volume,
    termsOf(volume).map((term) => ({
      ...term,
      ...(term.matchExpressions && {
        matchExpressions: term.matchExpressions.map((one) => (one.key === from ? { ...one, key: to } : one)),
      }),
    })),
  );

/** The volume restricted to nodes that have one of the values, in addition to its own restrictions. */
function restricted(volume: Volume, key: string, values: readonly string[]): Volume {
  const found = [...new Set(values.map((value) => value.trim()))].filter((value) => value !== "").sort();
  if (found.length === 0) return volume;
  const terms = termsOf(volume);
  const requirement = { key, operator: "In" as const, values: found };
  return withTerms(
    volume,
    (terms.length === 0 ? [{}] : terms).map((term: Term) => ({
      ...term,
      matchExpressions: [...(term.matchExpressions ?? []), requirement],
    })),
  );
}

/** Which generation of labels a volume uses: in its affinity, or else as its labels. */
function usesBeta(volume: Volume): boolean {
  const keys = new Set(termsOf(volume).flatMap(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key)));
  const { labels = {} } = volume.metadata;
  if (keys.has(zone)) return false;
  if (keys.has(betaZone)) return true;
  return labels[zone] === undefined && labels[betaZone] !== undefined;
}

/** The affinity for a label by the driver's: renamed, or else added from the volume's own label. */
function moved(volume: Volume, from: string, to: string, split: (value: string) => readonly string[]): Volume {
  if (valuesOf(volume, from).length > 0) return renamed(volume, from, to);
  const label = volume.metadata.labels?.[from];
  return label === undefined ? volume : restricted(volume, to, split(label));
}

/**
 * The volume with its node affinity in the labels that the driver sets on nodes. Source: csi-translation-lib of 1.27.
 */
export function withDriverTopology(volume: Volume, field: MigratedField): Volume {
  const keys = topologyKeys[field];
  if (keys === undefined) return volume;
  const beta = usesBeta(volume);
  const inZone = moved(
    volume,
    beta ? betaZone : zone,
    keys.zone,
    keys.region === undefined ? splitZones : (one) => [one],
  );
  if (keys.region !== undefined) return moved(inZone, beta ? betaRegion : region, keys.region, (one) => [one]);
  return beta && valuesOf(inZone, betaRegion).length > 0 ? renamed(inZone, betaRegion, region) : inZone;
}
