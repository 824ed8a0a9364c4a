import type { core } from "@orchernetes/api";
import type { ResourceClaim, ResourceClaimTemplate } from "@orchernetes/api/resource/v1alpha2";
import type { Stored } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { meta, pod } from "../../testing/builders.ts";
import { reconcileClaim } from "./reconcile-claim.ts";
import { reconcilePod } from "./reconcile-pod.ts";

type Entry = NonNullable<core.PodSpec["resourceClaims"]>[number];

const fromTemplate = (name: string, template = "t"): Entry => ({
  name,
  source: { resourceClaimTemplateName: template },
});
const shared: Entry = { name: "shared", source: { resourceClaimName: "of-all" } };
const spec = { resourceClassName: "c", allocationMode: "WaitForFirstConsumer" } as const;
const template: Stored<ResourceClaimTemplate> = {
  metadata: meta("t"),
  spec: { metadata: { labels: { a: "b" }, annotations: { c: "d" } }, spec },
};
const owner = { apiVersion: "v1", kind: "Pod", name: "p", uid: "uid-p", controller: true, blockOwnerDeletion: true };
function claim(name: string, uid?: string, status: ResourceClaim["status"] = {}): Stored<ResourceClaim> {
  const ownerReferences = uid === undefined ? [] : [{ ...owner, uid }];
  return { metadata: { ...meta(name), ownerReferences }, spec, status };
}

function plan(entries: readonly Entry[], claims: readonly Stored<ResourceClaim>[] = [], deleting = false) {
  const made = pod("p", { deleting });
  return reconcilePod({
    pod: { ...made, spec: { ...made.spec, resourceClaims: entries } },
    claimOf: (name) => claims.find(({ metadata }) => metadata.name === name),
    templateOf: (name) => (name === "t" ? template : undefined),
  }).actions;
}

test("a pod gets a claim of its own for each template, as the template says", () => {
  expect(plan([shared, fromTemplate("gpu"), fromTemplate("nic")], [claim("p-nic", "uid-p")])).toEqual([
    {
      type: "CreateClaim",
      of: "gpu",
      claim: {
        metadata: {
          name: "p-gpu",
          namespace: "ns",
          labels: { a: "b" },
          annotations: { c: "d" },
          ownerReferences: [owner],
        },
        spec,
        status: {},
      },
    },
  ]);
  expect(plan([fromTemplate("gpu")], [], true)).toEqual([]);
});

test.each([
  [
    "the claim of another pod",
    [fromTemplate("gpu"), fromTemplate("nic")],
    [claim("p-gpu", "uid-before")],
    "PodResourceClaim gpu: ResourceClaim ns/p-gpu was not created for pod ns/p (pod is not owner)",
  ],
  [
    "a template that does not exist",
    [fromTemplate("gpu", "gone"), fromTemplate("nic")],
    [],
    'PodResourceClaim gpu: resource claim template "gone": resourceclaimtemplate.resource.o8s.io "gone" not found',
  ],
])("%s is reported", (_, entries, claims, message) => {
  expect(plan(entries, claims)).toEqual([{ type: "Refuse", message }]);
});

test("pods that have ended, were deleted before they had a node, or do not exist are no users of a claim", () => {
  const user = (name: string) => ({ resource: "pods", name, uid: `uid-${name}` });
  const device = { apiGroup: "example.com", resource: "devices", name: "d", uid: "uid-d" };
  const names = ["running", "ended", "unplaced", "leaving", "gone"];
  const reserved = claim("c", undefined, { reservedFor: [...names.map(user), device] });
  const pods = new Map([
    ["uid-running", pod("running", { node: "n" })],
    ["uid-ended", pod("ended", { node: "n", phase: "Succeeded" })],
    ["uid-unplaced", pod("unplaced", { deleting: true })],
    ["uid-leaving", pod("leaving", { deleting: true, node: "n" })],
  ]);
  const { actions } = reconcileClaim({ claim: reserved, pods });
  expect(actions).toMatchObject([
    { type: "UpdateStatus", claim: { status: { reservedFor: [user("running"), user("leaving"), device] } } },
  ]);
  const [update] = actions;
  expect(reconcileClaim({ claim: update?.claim ?? reserved, pods }).actions).toEqual([]);
  expect(reconcileClaim({ claim: claim("c"), pods }).actions).toEqual([]);
});
