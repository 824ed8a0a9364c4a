import { selectedNode } from "@orchernetes/component-helpers";
import { claim, node, pod, storageClass, volume } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { tableOf, verdictsOf } from "../../testing/tables.ts";
import { boundClaim, inZone, podUsing, type VolumeObjects, volumesOf } from "../../testing/volumes.ts";
import { placeClaims, withoutRepetition } from "../../volumes/place-claims.ts";
import { volumeBinding } from "./volume-binding.ts";

const nodes = tableOf([node("a").labels({ zone: "1" }), node("b").labels({ zone: "2" })]);
const conflict = "node(s) had volume node affinity conflict";
const none = "node(s) didn't find available persistent volumes to bind";
const noSpace = "node(s) did not have enough free storage";
const gone = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
const in1 = (name: string, more: object = {}) => volume(name, { source: inZone("1"), ...more });

const bound: VolumeObjects = {
  claims: [
    boundClaim("in-1", "v1"),
    boundClaim("in-2", "v2"),
    boundClaim("anywhere", "v0"),
    boundClaim("dangling", "gone"),
    boundClaim("lost", "v1", { status: { phase: "Lost" } }),
    boundClaim("leaving", "v1", { deleting: true }),
    claim("nameless", { status: { phase: "Lost" } }),
    boundClaim("p-scratch", "v2"),
    claim("unbound", { className: "now" }),
    claim("half", { className: "late", volumeName: "v1" }),
  ],
  volumes: [volume("v0"), in1("v1"), volume("v2", { source: inZone("2") })],
  classes: [storageClass("now"), storageClass("late", { volumeBindingMode: "WaitForFirstConsumer" })],
};

test.each<[string, ReturnType<typeof pod>, string | string[]]>([
  ["no volumes", pod("p"), ["", ""]],
  ["a volume without claim", pod("p").spec({ volumes: [{ name: "e", emptyDir: {} }] }), ["", ""]],
  ["a volume of one zone", podUsing("in-1"), ["", conflict]],
  ["volumes of two zones", podUsing("in-1", "in-2"), [conflict, conflict]],
  ["a volume that is everywhere", podUsing("anywhere"), ["", ""]],
  [
    "the claim of another pod's ephemeral volume",
    podUsing().spec({ volumes: [{ name: "scratch", ephemeral: {} }] }),
    "PVC ns/p-scratch was not created for pod ns/p (pod is not owner)",
  ],
  [
    "an ephemeral volume without its claim",
    podUsing().spec({ volumes: [{ name: "new", ephemeral: {} }] }),
    'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-new"',
  ],
  ["no such claim", podUsing("nope"), 'persistentvolumeclaim "nope" not found'],
  ["a claim that is being deleted", podUsing("leaving"), 'persistentvolumeclaim "leaving" is being deleted'],
  ["no such volume", podUsing("dangling"), [gone, gone]],
  ["no such volume, before one of another zone", podUsing("dangling", "in-1"), [gone, gone]],
  ["a volume of another zone, before no such one", podUsing("in-1", "dangling"), [gone, conflict]],
  [
    "a volume that was lost before it was named",
    podUsing("nameless"),
    'persistentvolumeclaim "nameless" bound to non-existent persistentvolume ""',
  ],
  ["a lost volume", podUsing("lost"), 'persistentvolumeclaim "lost" bound to non-existent persistentvolume "v1"'],
  ["not bound yet", podUsing("unbound"), "pod has unbound immediate PersistentVolumeClaims"],
  ["bound on one side only", podUsing("half"), "pod has unbound immediate PersistentVolumeClaims"],
])("%s", (_, wanting, want) => {
  expect(verdictsOf(volumeBinding(volumesOf(bound)), wanting, nodes)).toEqual(want);
});

const driver = { metadata: { ...volume("example.com/maker").metadata }, spec: { storageCapacity: true } };
const pool = (zone: string, capacity: string, maximumVolumeSize?: string) => ({
  metadata: volume(`pool-${zone}`).metadata,
  storageClassName: "fast",
  nodeTopology: { matchLabels: { zone } },
  capacity,
  ...(maximumVolumeSize !== undefined && { maximumVolumeSize }),
});
const late = { volumeBindingMode: "WaitForFirstConsumer" } as const;
const fast = storageClass("fast", late);
const manual = storageClass("fast", { ...late, provisioner: "orchernetes.io/no-provisioner" });
const zoned = storageClass("fast", {
  ...late,
  allowedTopologies: [{ matchLabelExpressions: [{ key: "zone", values: ["2", "3"] }] }],
});

test.each<[string, VolumeObjects, string[]]>([
  ["is created anywhere", { classes: [fast] }, ["", ""]],
  ["is created where the class allows it", { classes: [zoned] }, [none, ""]],
  ["cannot be created", { classes: [manual] }, [none, none]],
  ["exists in one zone", { classes: [manual], volumes: [in1("v")] }, ["", none]],
  ["exists, but is too small", { classes: [manual], volumes: [in1("v", { size: "1Mi" })] }, [none, none]],
  ["exists, but is taken", { classes: [manual], volumes: [in1("v", { claim: "other" })] }, [none, none]],
  ["exists, but is not available yet", { classes: [manual], volumes: [in1("v", { phase: "Pending" })] }, [none, none]],
  ["is reserved for the claim", { classes: [fast], volumes: [in1("v", { claim: "c", uid: "" })] }, ["", ""]],
  ["has room in one zone", { classes: [fast], csiDrivers: [driver], capacities: [pool("1", "5Gi")] }, ["", noSpace]],
  [
    "may not be that large",
    { classes: [fast], csiDrivers: [driver], capacities: [pool("1", "5Gi", "1Mi"), pool("2", "1Mi", "5Gi")] },
    [noSpace, ""],
  ],
  ["has room, by a driver that does not say", { classes: [fast], capacities: [pool("1", "1Mi")] }, ["", ""]],
  [
    "is being created on a node",
    { classes: [fast], claims: [claim("c", { annotations: { [selectedNode]: "b" } })] },
    [none, ""],
  ],
])("a volume for a claim that waits for its consumer %s", (_, objects, want) => {
  const cluster = volumesOf({ claims: [claim("c")], ...objects });
  expect(verdictsOf(volumeBinding(cluster), podUsing("c"), nodes)).toEqual(want);
});

test("a claim that a pod names twice needs two volumes, as in Kubernetes, and is bound to one of them", () => {
  const reserved = in1("v", { claim: "c" });
  const objects = { classes: [manual], claims: [claim("c")], volumes: [reserved, in1("o")] };
  expect(verdictsOf(volumeBinding(volumesOf(objects)), podUsing("c", "c"), nodes)).toEqual(["", none]);
  const alone = { ...objects, volumes: [reserved] };
  expect(verdictsOf(volumeBinding(volumesOf(alone)), podUsing("c", "c"), nodes)).toEqual([none, none]);
  const twice = [claim("c"), claim("c")];
  const place = (given: VolumeObjects) => {
    const placement = placeClaims(twice, volumesOf(given))(node("a").labels({ zone: "1" }).build());
    return typeof placement === "object" ? withoutRepetition(placement) : placement;
  };
  expect(place(objects)).toMatchObject({ bindings: [{ volume: { metadata: { name: "v" } } }], provisions: [] });
  expect(place({ ...alone, classes: [fast] })).toMatchObject({ bindings: [{}], provisions: [] });
  expect(place({ classes: [fast], claims: [claim("c")] })).toMatchObject({ bindings: [], provisions: [{}] });
});

test("two claims do not get the same volume, and the larger one is left for the larger claim", () => {
  const claims = [claim("large", { size: "2Gi" }), claim("small")];
  const both = { classes: [manual], claims, volumes: [in1("v1"), in1("v2", { size: "2Gi" })] };
  const one = { classes: [manual], claims, volumes: [in1("v2", { size: "2Gi" })] };
  const using = podUsing("large", "small");
  expect(verdictsOf(volumeBinding(volumesOf(both)), using, nodes)).toEqual(["", none]);
  expect(verdictsOf(volumeBinding(volumesOf(one)), using, nodes)).toEqual([none, none]);
});

test("the smallest volume is chosen, even if it has more access modes than necessary", () => {
  const modes = ["ReadWriteOnce", "ReadOnlyMany"] as const;
  const objects = {
    classes: [manual],
    claims: [claim("small"), claim("large", { size: "4Gi" })],
    volumes: [volume("large", { size: "5Gi" }), volume("small", { modes })],
  };
  expect(verdictsOf(volumeBinding(volumesOf(objects)), podUsing("small", "large"), nodes)).toEqual(["", ""]);
});

test("a volume that is reserved for a claim is used, whatever access modes it has", () => {
  const reserved = volume("v", { modes: ["ReadOnlyMany"], claim: "c", uid: "" });
  const objects = { classes: [manual], claims: [claim("c")], volumes: [reserved] };
  expect(verdictsOf(volumeBinding(volumesOf(objects)), podUsing("c"), nodes)).toEqual(["", ""]);
});

test("claims whose volumes are being created come first", () => {
  const creating = claim("big", { size: "9Gi", annotations: { [selectedNode]: "a" } });
  const objects = {
    classes: [fast, { ...zoned, metadata: { ...zoned.metadata, name: "zoned" } }],
    claims: [claim("small", { className: "zoned" }), creating],
    csiDrivers: [driver],
    capacities: [pool("1", "5Gi")],
  };
  expect(verdictsOf(volumeBinding(volumesOf(objects)), podUsing("small", "big"), nodes)).toEqual([noSpace, none]);
});

test("a node that fails for two reasons reports both", () => {
  const cluster = volumesOf({
    claims: [boundClaim("in-2", "v2"), claim("c")],
    volumes: [volume("v2", { source: inZone("2"), claim: "in-2" })],
    classes: [manual],
  });
  expect(verdictsOf(volumeBinding(cluster), podUsing("in-2", "c"), nodes)).toEqual([`${conflict}, ${none}`, none]);
});

test("if the agent has migrated an in-tree volume to its CSI driver, the topology labels of the driver decide", () => {
  const own = "topology.ebs.csi.aws.com/zone";
  const zone = "topology.orchernetes.io/zone";
  const source = { awsElasticBlockStore: { volumeID: "vol-1" } };
  const migrated = { "storage.alpha.orchernetes.io/migrated-plugins": "orchernetes.io/aws-ebs" };
  const csiNode = (name: string) => ({ ...volume(name, { annotations: migrated }), spec: { drivers: [] } });
  const cluster = volumesOf({
    claims: [boundClaim("c", "v"), boundClaim("bad", "w")],
    volumes: [
      volume("v", { source, labels: { [zone]: "1" } }),
      volume("w", { source: { awsElasticBlockStore: { volumeID: "aws://1" } } }),
    ],
    csiNodes: ["a", "b"].map(csiNode),
  });
  const table = tableOf([node("a").labels({ [own]: "1" }), node("b").labels({ [own]: "2" }), node("c")]);
  expect(verdictsOf(volumeBinding(cluster), podUsing("c"), table)).toEqual(["", conflict, ""]);
  expect(verdictsOf(volumeBinding(cluster), podUsing("bad"), table)).toEqual([conflict, conflict, ""]);
});
