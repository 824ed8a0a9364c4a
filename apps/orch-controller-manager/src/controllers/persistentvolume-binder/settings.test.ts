import { expect, test } from "vitest";
import type { Flags } from "../../config.ts";
import { defaultRecycler, recyclerTemplate, volumeSettings } from "./settings.ts";

const pod = { kind: "Pod", spec: { containers: [{ name: "c" }], volumes: [{ name: "v" }] } };

test.each<[string, unknown, unknown]>([
  ["a pod", pod, { metadata: { namespace: "default" }, spec: pod.spec }],
  [
    "a pod with a namespace and labels",
    { ...pod, metadata: { name: "x", namespace: "y", labels: { a: "b" } } },
    { metadata: { namespace: "y", labels: { a: "b" } }, spec: pod.spec },
  ],
  ["nothing", null, "not a Pod"],
  ["text", "pod", "not a Pod"],
  ["another kind", { kind: "Node" }, "not a Pod"],
  ["no containers", { kind: "Pod" }, "the pod does not contain any container"],
  ["no volumes", { kind: "Pod", spec: { containers: [{}] } }, "the pod does not contain any volume"],
])("recycler of %s", (_, document, want) => {
  const text = JSON.stringify(document);
  if (typeof want === "string") expect(() => recyclerTemplate(text)).toThrow(want);
  else expect(recyclerTemplate(text)).toEqual(want);
});

test("flags become settings, and their faults are told", () => {
  const flags: Partial<Flags> = {
    "pvclaimbinder-sync-period": 1000,
    "enable-dynamic-provisioning": false,
    "enable-hostpath-provisioner": true,
    "pv-recycler-minimum-timeout-nfs": 1,
    "pv-recycler-increment-timeout-nfs": 2,
    "pv-recycler-pod-template-filepath-nfs": "/no/such/file",
    "pv-recycler-minimum-timeout-hostpath": 3,
    "pv-recycler-timeout-increment-hostpath": 4,
    "pv-recycler-pod-template-filepath-hostpath": "",
  };
  const faults: string[] = [];
  expect(volumeSettings(flags as Flags, faults)).toEqual({
    syncPeriodMs: 1000,
    dynamicProvisioning: false,
    hostPathProvisioning: true,
    nfsRecycler: { minimumTimeoutSeconds: 1, incrementTimeoutSeconds: 2, template: defaultRecycler },
    hostPathRecycler: { minimumTimeoutSeconds: 3, incrementTimeoutSeconds: 4, template: defaultRecycler },
  });
  expect(faults).toEqual([
    expect.stringMatching(
      /^invalid value "\/no\/such\/file" for flag --pv-recycler-pod-template-filepath-nfs: ENOENT.*; want a readable pod file$/,
    ),
  ]);
});
