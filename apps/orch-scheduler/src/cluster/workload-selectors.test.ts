import type { apps, core } from "@orchernetes/api";
import type { ApiObject, Stored } from "@orchernetes/apimachinery";
import type { Lister } from "@orchernetes/client";
import { pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { podInfo } from "../cache/pod-info.ts";
import { selectorsBy } from "./workload-selectors.ts";

const metadata = { name: "w", namespace: "default" };

/** A lister with one object. */
function reading<T extends ApiObject>(spec: object) {
  const object = { metadata, spec, status: {} } as unknown as Stored<T>;
  const lister: Pick<Lister<T>, "get" | "list"> = {
    get: (namespace, name) => (namespace === "default" && name === "w" ? object : undefined),
    list: () => [object],
  };
  return { lister };
}

const selectorOf = selectorsBy({
  services: reading<core.Service>({ selector: { app: "web" } }),
  controllers: reading<core.ReplicationController>({ selector: { by: "rc" } }),
  replicaSets: reading<apps.ReplicaSet>({ selector: { matchLabels: { by: "rs" } } }),
  statefulSets: reading<apps.StatefulSet>({ selector: { matchLabels: { by: "sts" } } }),
});

test.each<[string, apiVersion: string, kind: string, want: string | undefined]>([
  ["a service and a replica set", "apps/v1", "ReplicaSet", "app=web,by=rs"],
  ["a service and a stateful set", "apps/v1", "StatefulSet", "app=web,by=sts"],
  ["a service and a replication controller", "v1", "ReplicationController", "app=web,by=rc"],
  ["a service, and a controller of another kind", "batch/v1", "Job", "app=web"],
  ["a service, and a custom resource with a known kind", "example.com/v1", "ReplicaSet", "app=web"],
  ["a service, and a resource of another version", "apps/v1beta1", "ReplicaSet", "app=web"],
])("the pods of %s belong together", (_, apiVersion, kind, want) => {
  const built = pod("p").labels({ app: "web" }).build();
  const owner = { apiVersion, kind, name: "w", uid: "w", controller: true };
  const owned = { ...built, metadata: { ...built.metadata, ownerReferences: [owner] } };
  expect(selectorOf(podInfo(owned))?.toString()).toBe(want);
});

test("a pod without services and controller belongs to no others", () => {
  expect(selectorOf(podInfo(pod("p").labels({ app: "db" }).build()))).toBeUndefined();
});
