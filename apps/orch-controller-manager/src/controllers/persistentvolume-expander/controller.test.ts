import type { core } from "@orchernetes/api";
import type { FakeApiServer, FakeObject } from "@orchernetes/client/testing";
import { claim, volume } from "@orchernetes/testkit";
import { expect, test, vi } from "vitest";
import { serverForTest, startControllers } from "../../testing/start-controller.ts";
import { persistentVolumeExpanderController } from "./controller.ts";

const claimsPath = "/api/v1/persistentvolumeclaims";
const volumesPath = "/api/v1/persistentvolumes";

/** Stores an object as the server would: it chooses uid and version. */
function put(server: FakeApiServer, path: string, object: object): FakeObject {
  const { metadata, ...rest } = object as FakeObject;
  const { resourceVersion: _, ...kept } = metadata;
  return server.put(path, { ...rest, metadata: kept });
}

test("a volume of a local path grows with its claim", async () => {
  const server = await serverForTest();
  startControllers(server, [persistentVolumeExpanderController]);
  const annotations = { "pv.orchernetes.io/provisioned-by": "orchernetes.io/local-path" };
  const status = { phase: "Bound", capacity: { storage: "1Gi" } } as const;
  put(server, volumesPath, volume("v", { claim: "c", annotations, source: { local: { path: "/v" } } }));
  put(server, claimsPath, claim("c", { volumeName: "v", status }));
  put(server, claimsPath, claim("c", { volumeName: "v", status, size: "3Gi" }));
  const sizes = () => [
    (server.objects(volumesPath)[0]?.spec as core.PersistentVolumeSpec | undefined)?.capacity?.storage,
    (server.objects(claimsPath)[0]?.status as core.PersistentVolumeClaimStatus | undefined)?.capacity?.storage,
  ];
  await vi.waitFor(() => expect(sizes()).toEqual(["3Gi", "3Gi"]), { timeout: 20_000 });
  const reasons = () => server.objects("/api/v1/events").map(({ reason }) => reason);
  await vi.waitFor(() => expect(reasons()).toEqual(["VolumeResizeSuccessful"]), { timeout: 20_000 });
});
