import { claim, type VolumeSketch, volume } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { type ExpansionAction, reconcileExpansion } from "./reconcile.ts";

const now = new Date("2024-01-01T00:00:00Z");
const has = (storage: string) => ({ phase: "Bound", capacity: { storage } }) as const;
const local = {
  annotations: { "pv.orchernetes.io/provisioned-by": "orchernetes.io/local-path" },
  source: { local: { path: "/v" } },
};

function lineOf(action: ExpansionAction): string {
  switch (action.type) {
    case "Event":
      return `${action.of} ${action.reason}: ${action.message}`;
    case "SetResizer":
      return `resizer ${action.resizer}${action.conditions === undefined ? "" : ` ${action.conditions.map(({ type }) => type)}`}`;
    case "UpdateVolume":
      return `volume ${JSON.stringify(action.patch)}`;
    case "FinishClaim":
      return `claim ${JSON.stringify(action.status)}`;
  }
}

const decide = (claimSketch: Parameters<typeof claim>[1], sketch: VolumeSketch): readonly string[] =>
  reconcileExpansion(
    { claim: claim("c", { volumeName: "v", ...claimSketch }), volume: volume("v", { claim: "c", ...sketch }) },
    now,
  ).actions.map(lineOf);

const enlarged = { size: "2Gi", status: has("1Gi") };
const external = "Warning ExternalExpanding: waiting for an external controller to expand this PVC";
const gce = { source: { gcePersistentDisk: { pdName: "d" } } };
const migration =
  "Normal ExternalExpanding: CSI migration enabled for orchernetes.io/gce-pd; waiting for external resizer to expand the pvc";
const done = "Normal VolumeResizeSuccessful: ExpandVolume succeeded for volume ns/c";

test.each<[string, Parameters<typeof claim>[1], VolumeSketch, readonly string[]]>([
  ["is not bound", { size: "2Gi" }, {}, []],
  ["has what it requests", { status: has("1Gi") }, {}, []],
  ["has more than it requests", { status: has("2Gi") }, {}, []],
  ["is being deleted", { ...enlarged, deleting: true }, local, []],
  ["is enlarged", enlarged, { source: { csi: { driver: "d", volumeHandle: "h" } } }, [external]],
  ["is enlarged on a volume that cannot grow", enlarged, {}, [external]],
  ["is enlarged on a volume of a cloud", enlarged, gce, [migration, "resizer pd.csi.storage.gke.io"]],
  [
    "is enlarged, with the resizer set",
    { ...enlarged, annotations: { "volume.orchernetes.io/storage-resizer": "pd.csi.storage.gke.io" } },
    gce,
    [migration],
  ],
  [
    "is enlarged on a local path",
    enlarged,
    local,
    [
      "resizer orchernetes.io/local-path Resizing",
      'volume {"spec":{"capacity":{"storage":"2Gi"}}}',
      'claim {"capacity":{"storage":"2Gi"},"conditions":[]}',
      done,
    ],
  ],
  [
    "is enlarged on a local path, when the last manager was killed after it had written the volume",
    { ...enlarged, annotations: { "volume.orchernetes.io/storage-resizer": "orchernetes.io/local-path" } },
    { ...local, size: "2Gi" },
    ["resizer orchernetes.io/local-path Resizing", 'claim {"capacity":{"storage":"2Gi"},"conditions":[]}', done],
  ],
])("a claim that %s", (_, claimSketch, sketch, want) => {
  expect(decide(claimSketch, sketch)).toEqual(want);
});

test("a claim whose volume is not there, or bound to another claim, is retried", () => {
  const state = { claim: claim("c", { ...enlarged, volumeName: "v" }), volume: undefined };
  expect(() => reconcileExpansion(state, now)).toThrow('failed to get PV "v"');
  expect(() => decide(enlarged, { uid: "other" })).toThrow(
    "persistent Volume is not bound to PVC being updated : ns/c",
  );
});
