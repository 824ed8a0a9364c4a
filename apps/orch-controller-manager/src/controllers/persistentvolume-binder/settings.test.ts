import { NamedFiles } from "@orchernetes/component";
import { orchControllerManagerConfigurationSchema, parseConfig } from "@orchernetes/config";
import { expect, test } from "vitest";
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

const recyclerPath = "PersistentVolumeBinderController.VolumeConfiguration.PersistentVolumeRecyclerConfiguration";

test.each([
  [
    "--pv-recycler-pod-template-filepath-nfs",
    /^invalid value "\/no\/such\/file" for flag --pv-recycler-pod-template-filepath-nfs: ENOENT.*; want a readable pod file$/,
  ],
  [
    '--config: file "a", field b',
    /^--config: file "a", field b: invalid value "\/no\/such\/file": ENOENT.*; want a readable pod file$/,
  ],
])("the document becomes settings, and errors of files that %s names are reported", (from, error) => {
  const document = parseConfig(
    {
      apiVersion: "orchcontrollermanager.config.o8s.io/v1alpha1",
      kind: "OrchControllerManagerConfiguration",
      PersistentVolumeBinderController: {
        PVClaimBinderSyncPeriod: "1s",
        VolumeConfiguration: {
          EnableDynamicProvisioning: false,
          EnableHostPathProvisioning: true,
          PersistentVolumeRecyclerConfiguration: {
            MinimumTimeoutNFS: 1,
            IncrementTimeoutNFS: 2,
            MinimumTimeoutHostPath: 3,
            IncrementTimeoutHostPath: 4,
          },
        },
      },
    },
    orchControllerManagerConfigurationSchema,
    "test",
  );
  const files = new NamedFiles();
  const namedFile = (field: string) =>
    field === `${recyclerPath}.PodTemplateFilePathNFS` ? { from, path: "/no/such/file" } : { from, path: "" };
  expect(volumeSettings({ document, gates: { enabled: () => true }, files, namedFile, client: undefined })).toEqual({
    syncPeriodMs: 1000,
    dynamicProvisioning: false,
    honorsReclaimPolicy: true,
    hostPathProvisioning: true,
    retroactiveDefaultClass: true,
    nfsRecycler: { minimumTimeoutSeconds: 1, incrementTimeoutSeconds: 2, template: defaultRecycler },
    hostPathRecycler: { minimumTimeoutSeconds: 3, incrementTimeoutSeconds: 4, template: defaultRecycler },
  });
  expect(files.errors).toEqual([expect.stringMatching(error)]);
});
