import { controllerRef, type Stored } from "@orchernetes/apimachinery";
import type { FakeApiServer, FakeObject } from "@orchernetes/client/testing";
import { beforeEach, expect, test, vi } from "vitest";
import { deployments } from "../../shared/refs.ts";
import { deployment, replicaSet, template } from "../../testing/builders.ts";
import { serverForTest, startControllers } from "../../testing/start-controller.ts";
import { deploymentController } from "./controller.ts";
import type { ReplicaSet } from "./rollout.ts";

const deploymentsPath = "/apis/apps/v1/deployments";
const setsPath = "/apis/apps/v1/replicasets";
const sketch = { replicas: 4, maxSurge: 2, maxUnavailable: 0 };

let server: FakeApiServer;
beforeEach(async () => {
  server = await serverForTest();
  server.prepare = (_, object) => ({ ...object, status: { replicas: 0 } });
});

/** An object as a client sends it. */
const sent = ({ metadata, ...rest }: Stored<{ metadata: object }>): FakeObject => ({
  ...rest,
  metadata: { ...metadata },
});

function ownedSet(name: string, image: string, replicas: number): Stored<ReplicaSet> {
  const labels = { app: "x" };
  const status = { replicas, availableReplicas: replicas };
  const set = replicaSet(name, { replicas, labels, template: template(image), status });
  return { ...set, metadata: { ...set.metadata, ownerReferences: [controllerRef(deployments, deployment("d"))] } };
}

test.each(["answered", "lost"])(
  "a size that was written, and whose response was %s, counts before the cache has it",
  async (response) => {
    server.put(deploymentsPath, sent(deployment("d", { ...sketch, image: "i:2" })));
    server.put(setsPath, sent(ownedSet("old", "i:1", 3)));
    server.put(setsPath, sent(ownedSet("current", "i:2", 2)));
    let blindUntilMs = 0;
    const sizes = () => server.objects(setsPath).map(({ spec }) => (spec as ReplicaSet["spec"]).replicas ?? 1);
    /** The sizes of the sets when the third one comes. Later, the old ones become smaller. */
    let sizesAtCreation: readonly number[] | undefined;
    server.hook = ({ method, path, query, body }) => {
      if (method === "POST" && path.endsWith("/replicasets"))
        sizesAtCreation ??= [...sizes(), (JSON.parse(body) as ReplicaSet).spec.replicas ?? 1];
      if (query.get("watch") === "true" && path === setsPath && performance.now() < blindUntilMs) return "drop";
      if (method !== "PUT" || !path.endsWith("/replicasets/current") || blindUntilMs > 0) return undefined;
      // The watches break before they show the new size; then the next template comes.
      blindUntilMs = performance.now() + 2000;
      server.endWatches();
      const { metadata, ...rest } = JSON.parse(body) as ReplicaSet;
      const written = server.put(setsPath, { ...rest, metadata: { ...metadata, generation: 2 } });
      server.put(deploymentsPath, sent(deployment("d", { ...sketch, image: "i:3", generation: 2 })));
      return response === "lost" ? "drop" : { status: 200, body: written };
    };
    startControllers(server, [deploymentController]);
    await vi.waitFor(() => expect(sizesAtCreation).toHaveLength(3), { timeout: 20_000 });
    expect(sizesAtCreation?.reduce((sum, size) => sum + size)).toBe(6);
  },
);
