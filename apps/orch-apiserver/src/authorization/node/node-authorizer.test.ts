import type { core } from "@orchernetes/api";
import type { Attributes, Decision } from "@orchernetes/auth";
import { expect, test } from "vitest";
import { nodeAuthorizer } from "./node-authorizer.ts";
import { NodeGraph } from "./node-graph.ts";

const pod = (name: string, nodeName: string, spec: object = {}, metadata: object = {}) =>
  ({
    metadata: { namespace: "ns", name, uid: name, ...metadata },
    spec: { nodeName, containers: [], ...spec },
  }) as unknown as core.Pod;
const volume = (name: string, claim: string | undefined, source: object = {}) =>
  ({
    metadata: { name },
    spec: { ...(claim && { claimRef: { namespace: "ns", name: claim } }), ...source },
  }) as unknown as core.PersistentVolume;

const graph = new NodeGraph();
graph.setPod(
  pod("web", "mine", {
    serviceAccountName: "sa",
    imagePullSecrets: [{ name: "pull" }],
    volumes: [
      { name: "v", secret: { secretName: "s" } },
      { name: "c", persistentVolumeClaim: { claimName: "claim" } },
      { name: "scratch", ephemeral: {} },
    ],
    resourceClaims: [
      { name: "gpu", source: { resourceClaimName: "shared-gpu" } },
      { name: "own", source: { resourceClaimTemplateName: "t" } },
    ],
  }),
);
graph.setPod(pod("db", "other", { volumes: [{ name: "v", configMap: { name: "theirs" } }] }));
graph.setPod(
  pod(
    "static",
    "mine",
    { volumes: [{ name: "v", secret: { secretName: "not-mine" } }] },
    {
      annotations: { "orchernetes.io/config.mirror": "x" },
    },
  ),
);
graph.setVolume(
  volume("pv", "claim", {
    csi: {
      nodeStageSecretRef: { namespace: "csi", name: "stage" },
      controllerExpandSecretRef: { namespace: "csi", name: "expand" },
    },
  }),
);
graph.setVolume(volume("pv-2", "claim", { azureFile: { secretName: "azure" } }));
graph.setVolume(volume("unbound", undefined));
graph.setVolume(volume("theirs", "their-claim", { rbd: { secretRef: { name: "rbd" } } }));
graph.setAttachment("attached-here", "mine");
graph.setAttachment("attached-there", "other");

const rules = [{ verbs: ["get"], apiGroups: ["storage.o8s.io"], resources: ["volumeattachments", "csidrivers"] }];
const authorizer = nodeAuthorizer(graph, rules);

/** `verb resource[.group][/subresource] [namespace/]name` */
function ask(text: string): boolean {
  const [verb = "", what = "", where = ""] = text.split(" ");
  const [path = "", subresource = ""] = what.split("/");
  const [resource = "", apiGroup = ""] = path.split(/\.(.*)/s);
  const [name = "", namespace = ""] = where.split("/").reverse();
  const user = { name: "system:node:mine", groups: ["system:nodes"], extra: {} };
  const attributes: Attributes = {
    user,
    verb,
    resource,
    apiGroup,
    subresource,
    name,
    namespace,
    apiVersion: "v1",
    path: "",
    resourceRequest: true,
  };
  return (authorizer.authorize(attributes) as Decision).type === "Allow";
}

test.each([
  "get secrets ns/s",
  "list secrets ns/s",
  "watch secrets ns/s",
  "get secrets ns/pull",
  "get secrets csi/stage",
  "get secrets ns/azure",
  "get persistentvolumeclaims ns/claim",
  "get persistentvolumeclaims ns/web-scratch",
  "update persistentvolumeclaims/status ns/claim",
  "patch persistentvolumeclaims/status ns/claim",
  "get persistentvolumes pv",
  "get resourceclaims.resource.o8s.io ns/shared-gpu",
  "get resourceclaims.resource.o8s.io ns/web-own",
  "get volumeattachments.storage.o8s.io attached-here",
  "get csidrivers.storage.o8s.io any",
  "create serviceaccounts/token ns/sa",
  "update leases.coordination.o8s.io orch-node-lease/mine",
  "create leases.coordination.o8s.io orch-node-lease/",
  "get csinodes.storage.o8s.io mine",
])("allowed: %s", (text) => expect(ask(text)).toBe(true));

test.each([
  "get secrets ns/another",
  "get secrets other/s",
  "list secrets ns/",
  "list secrets s",
  "update secrets ns/s",
  "get secrets/status ns/s",
  // Secrets that only controllers need, those of volumes of others, and those that mirror pods name.
  "get secrets csi/expand",
  "get secrets ns/rbd",
  "get secrets ns/not-mine",
  "get configmaps ns/theirs",
  "list persistentvolumeclaims ns/claim",
  "watch persistentvolumeclaims ns/claim",
  "update persistentvolumeclaims ns/claim",
  "get persistentvolumeclaims/status ns/claim",
  "update persistentvolumeclaims/status ns/their-claim",
  "list persistentvolumes pv",
  "get persistentvolumes unbound",
  "get persistentvolumes theirs",
  "list resourceclaims.resource.o8s.io ns/shared-gpu",
  "update resourceclaims.resource.o8s.io/status ns/shared-gpu",
  "get resourceclaims.resource.o8s.io ns/another",
  "get volumeattachments.storage.o8s.io attached-there",
  "get volumeattachments.storage.o8s.io absent",
  "list volumeattachments.storage.o8s.io attached-here",
  "create serviceaccounts/token ns/another",
  "get serviceaccounts ns/sa",
  "update leases.coordination.o8s.io orch-node-lease/other",
  "list leases.coordination.o8s.io orch-node-lease/",
  "update leases.coordination.o8s.io ns/mine",
  "update csinodes.storage.o8s.io other",
])("refused: %s", (text) => expect(ask(text)).toBe(false));

test("what a pod allowed ends with it, also when another pod takes its name", () => {
  const changing = new NodeGraph();
  const may = (name: string) => changing.mayRead("mine", "secrets", "ns", name);
  const names = (secret: string) => ({ volumes: [{ name: "v", secret: { secretName: secret } }] });
  changing.setPod(pod("a", "mine", names("one")));
  changing.setPod(pod("a", "mine", names("two"), { uid: "second" }));
  expect([may("one"), may("two")]).toEqual([false, true]);
  changing.setVolume(volume("pv", "claim", { csi: { nodePublishSecretRef: { name: "x", namespace: "ns" } } }));
  changing.setPod(pod("b", "mine", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "claim" } }] }));
  expect(may("x")).toBe(true);
  changing.deleteVolume("pv");
  changing.deletePod("ns/a");
  expect([may("x"), may("two")]).toEqual([false, false]);
});
