import { type ClaimSketch, claim, storageClass, type VolumeSketch, volume } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { type ClaimState, type ProvisionSettings, reconcileClaim } from "./reconcile-claim.ts";
import { linesOf } from "./testing.ts";

interface World {
  readonly volumes?: Readonly<Record<string, VolumeSketch>>;
  readonly storageClass?: ClaimState["storageClass"];
  readonly defaultClass?: ClaimState["defaultClass"];
  readonly waitingPods?: readonly string[];
  readonly settings?: Partial<ProvisionSettings>;
}

const settings: ProvisionSettings = {
  enabled: true,
  retroactiveDefaultClass: true,
  plugins: new Set(["orchernetes.io/host-path"]),
};

function decide(sketch: ClaimSketch, world: World = {}): readonly string[] {
  const volumes = Object.entries(world.volumes ?? {}).map(([name, one]) => volume(name, one));
  const state: ClaimState = {
    claim: claim("c", sketch),
    named: volumes.find(({ metadata }) => metadata.name === sketch.volumeName),
    candidates: volumes,
    storageClass: world.storageClass,
    defaultClass: world.defaultClass,
    waitingPods: world.waitingPods ?? [],
    settings: { ...settings, ...world.settings },
  };
  return linesOf(reconcileClaim(state).actions);
}

const done = { "pv.orchernetes.io/bind-completed": "yes" };
const ours = { "pv.orchernetes.io/bound-by-controller": "yes" };
const bound = { phase: "Bound", accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" } } as const;
const waiting = storageClass("fast", { volumeBindingMode: "WaitForFirstConsumer" });
const made = (provisioner: string) => ({ storageClass: storageClass("fast", { provisioner }) });
const asked = {
  "volume.orchernetes.io/storage-provisioner": "example.com/maker",
  "volume.beta.orchernetes.io/storage-provisioner": "example.com/maker",
};
const external =
  'Normal ExternalProvisioning: waiting for a volume to be created, either by external provisioner "example.com/maker" or manually created by system administrator';

test.each<[string, ClaimSketch, World, readonly string[]]>([
  // name, claim, world, actions
  [
    "a fitting volume is bound, both ways, with both phases",
    {},
    { volumes: { v: { size: "2Gi" } } },
    [
      "volume v claim=c:uid-c bound-by-controller",
      "volume v is Bound",
      "claim c volume=v class=fast bind-completed,bound-by-controller",
      "claim c is Bound 2Gi ReadWriteOnce",
    ],
  ],
  [
    "a volume reserved by name is not marked as bound by the controller",
    {},
    { volumes: { v: { claim: "c", uid: "" } } },
    [
      "volume v claim=c:uid-c",
      "volume v is Bound",
      "claim c volume=v class=fast bind-completed,bound-by-controller",
      "claim c is Bound 1Gi ReadWriteOnce",
    ],
  ],
  [
    "a binding that stopped half-way is completed",
    { volumeName: "v", annotations: ours },
    { volumes: { v: { claim: "c", phase: "Bound", annotations: ours } } },
    ["claim c volume=v class=fast bound-by-controller,bind-completed", "claim c is Bound 1Gi ReadWriteOnce"],
  ],
  [
    "a volume asked for by name is bound; that the claim chose it stays to be seen",
    { volumeName: "v" },
    { volumes: { v: {} } },
    [
      "volume v claim=c:uid-c bound-by-controller",
      "volume v is Bound",
      "claim c volume=v class=fast bind-completed",
      "claim c is Bound 1Gi ReadWriteOnce",
    ],
  ],
  ["a volume asked for by name does not exist", { volumeName: "v" }, {}, []],
  [
    "a volume asked for by name does not fit",
    { volumeName: "v", status: {} },
    { volumes: { v: { size: "1Mi" } } },
    [
      'Warning VolumeMismatch: Cannot bind to requested volume "v": requested PV is too small',
      "claim c is Pending - -",
    ],
  ],
  [
    "a volume asked for by name is another's",
    { volumeName: "v" },
    { volumes: { v: { claim: "other" } } },
    ['Warning FailedBinding: volume "v" already bound to a different claim.'],
  ],
  [
    "what is bound stays as it is",
    { volumeName: "v", annotations: { ...done, ...ours }, status: bound },
    { volumes: { v: { claim: "c", phase: "Bound" } } },
    [],
  ],
  [
    "a bound volume that grew does not change the claim's capacity",
    { volumeName: "v", annotations: done, status: bound },
    { volumes: { v: { claim: "c", phase: "Bound", size: "5Gi" } } },
    [],
  ],
  [
    "a bound volume lost its reference",
    { volumeName: "v", annotations: done, status: bound },
    { volumes: { v: { phase: "Bound" } } },
    ["volume v claim=c:uid-c bound-by-controller"],
  ],
  [
    "a bound claim lost its volume",
    { volumeName: "v", annotations: done, status: bound },
    {},
    [
      "claim c is Lost - -",
      "Warning ClaimLost: Bound claim has lost its PersistentVolume. Data on the volume is lost!",
    ],
  ],
  ["a lost claim is reported once", { volumeName: "v", annotations: done, status: { phase: "Lost" } }, {}, []],
  [
    "a bound claim lost the name of its volume",
    { annotations: done, status: bound },
    {},
    [
      "claim c is Lost - -",
      "Warning ClaimLost: Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
    ],
  ],
  [
    "two claims of one volume",
    { volumeName: "v", annotations: done, status: bound },
    { volumes: { v: { claim: "other", phase: "Bound" } } },
    [
      "claim c is Lost - -",
      "Warning ClaimMisbound: Two claims are bound to the same volume, this one is bound incorrectly",
    ],
  ],
  [
    "no volume and no class",
    { className: "" },
    {},
    ["Normal FailedBinding: no persistent volumes available for this claim and no storage class is set"],
  ],
  [
    "a default class came later",
    { className: undefined },
    { defaultClass: storageClass("std") },
    ["claim c volume=- class=std"],
  ],
  [
    "a default class came later, the gate is closed",
    { className: undefined },
    { defaultClass: storageClass("std"), settings: { retroactiveDefaultClass: false } },
    ["Normal FailedBinding: no persistent volumes available for this claim and no storage class is set"],
  ],
  [
    "a default class does not matter to who wants none",
    { className: "" },
    { defaultClass: storageClass("std") },
    ["Normal FailedBinding: no persistent volumes available for this claim and no storage class is set"],
  ],
  [
    "it waits for its first consumer, however many volumes there are",
    {},
    { storageClass: waiting, volumes: { v: {} } },
    ["Normal WaitForFirstConsumer: waiting for first consumer to be created before binding"],
  ],
  [
    "it waits for a pod to be scheduled",
    {},
    { storageClass: waiting, waitingPods: ["p"] },
    ["Normal WaitForPodScheduled: waiting for pod p to be scheduled"],
  ],
  [
    "it waits for pods to be scheduled",
    {},
    { storageClass: waiting, waitingPods: ["p", "q"] },
    ["Normal WaitForPodScheduled: waiting for pods p,q to be scheduled"],
  ],
  [
    "its first consumer has a node",
    { annotations: { ...asked, "volume.orchernetes.io/selected-node": "n" } },
    { storageClass: waiting },
    [external],
  ],
  [
    "somebody else is asked to make a volume",
    {},
    { storageClass: storageClass("fast") },
    ["claim c volume=- class=fast storage-provisioner,storage-provisioner", external],
  ],
  ["somebody else was asked", { annotations: asked }, { storageClass: storageClass("fast") }, [external]],
  [
    "a plugin is asked to make a volume",
    {},
    made("orchernetes.io/host-path"),
    ["claim c volume=- class=fast storage-provisioner,storage-provisioner", "provision by orchernetes.io/host-path"],
  ],
  [
    "a driver is asked to make a volume of a class of a plugin that it replaced",
    {},
    made("orchernetes.io/gce-pd"),
    [
      "claim c volume=- class=fast storage-provisioner,storage-provisioner",
      'Normal ExternalProvisioning: waiting for a volume to be created, either by external provisioner "pd.csi.storage.gke.io" or manually created by system administrator',
    ],
  ],
  [
    "a plugin was asked before its driver replaced it",
    { annotations: { "volume.orchernetes.io/storage-provisioner": "orchernetes.io/gce-pd" } },
    made("orchernetes.io/gce-pd"),
    ["claim c volume=- class=fast storage-provisioner,migrated-to"],
  ],
  [
    "nobody makes volumes of that class",
    {},
    made("orchernetes.io/no-provisioner"),
    ["Warning ProvisioningFailed: no volume plugin matched name: orchernetes.io/no-provisioner"],
  ],
  ["no such class", {}, {}, ['Warning ProvisioningFailed: storageclass.storage.o8s.io "fast" not found']],
  ["making volumes is switched off", {}, { ...made("example.com/maker"), settings: { enabled: false } }, []],
])("%s", (_, sketch, world, want) => {
  expect(decide(sketch, world)).toEqual(want);
});
