import type { StorageVersion } from "@orchernetes/api/apiserverinternal/v1alpha1";
import type { Stored } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { meta } from "../../testing/builders.ts";
import { reconcile } from "./reconcile.ts";

const now = new Date("2026-01-01T00:00:00Z");

const of = (...servers: readonly (readonly [string, string])[]): Stored<StorageVersion> => ({
  metadata: meta("apps.deployments", ""),
  spec: {},
  status: {
    storageVersions: servers.map(([apiServerID, encodingVersion]) => ({
      apiServerID,
      encodingVersion,
      decodableVersions: [encodingVersion],
    })),
  },
});

test.each<[string, Stored<StorageVersion>, readonly string[], readonly object[]]>([
  ["with living servers stays", of(["a", "v1"], ["b", "v1"]), ["a", "b"], []],
  ["without servers stays", of(), [], []],
  ["whose servers are gone is deleted", of(["a", "v1"]), ["b"], [{ type: "Delete" }]],
])("a storage version %s", (_, storageVersion, live, want) => {
  expect(reconcile({ storageVersion, live: new Set(live) }, now).actions).toEqual(want);
});

test("without the server that differed, the others have a common version", () => {
  const [action] = reconcile({ storageVersion: of(["a", "v1"], ["b", "v2"]), live: new Set(["b"]) }, now).actions;
  expect(action).toMatchObject({
    type: "UpdateStatus",
    storageVersion: {
      status: {
        storageVersions: [{ apiServerID: "b" }],
        commonEncodingVersion: "v2",
        conditions: [{ type: "AllEncodingVersionsEqual", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" }],
      },
    },
  });
});
