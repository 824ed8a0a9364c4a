import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { poll } from "@orchernetes/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import type { SharedCluster } from "../../src/shared-cluster.ts";
import type { List, Volume } from "../../src/types.ts";

/** Each start of a pod adds a line to a file in its volume. The process runtime mounts below a folder of its own. */
const command = [
  "sh",
  "-c",
  'trap "exit 0" TERM; echo "$HOSTNAME" >> "$ORCHERNETES_CONTAINER_ROOT/data/starts"; while :; do sleep 0.2; done',
];
const labels = { app: "db" };
const statefulSet = {
  apiVersion: "apps/v1",
  kind: "StatefulSet",
  metadata: { name: "db" },
  spec: {
    serviceName: "db",
    replicas: 2,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        terminationGracePeriodSeconds: 5,
        containers: [
          {
            name: "db",
            image: "localhost/busybox:1",
            imagePullPolicy: "IfNotPresent",
            command,
            volumeMounts: [{ name: "data", mountPath: "/data" }],
          },
        ],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "16Mi" } } },
      },
    ],
  },
};

/** Claims of a StatefulSet and the local volumes that they get. */
export function volumesSuite(shared: SharedCluster): void {
  describe("volumes", () => {
    shared.useNamespace("volumes");
    const kubectl = shared.kubectl("volumes");

    const volumes = async (): Promise<readonly Volume[]> => (await kubectl.json<List<Volume>>("get", "pv")).items;
    const folders = (): readonly string[] =>
      shared.cluster.nodes.flatMap(({ name }) =>
        readdirSync(join(shared.cluster.dataDir, "nodes", name, "local-volumes")),
      );
    /** What the starts of a pod have written. */
    const startsOf = async (pod: string): Promise<string> => {
      const found = (await volumes()).find(({ spec }) => spec.claimRef?.name === `data-${pod}`);
      const file = join(found?.spec.local?.path ?? "", "starts");
      return existsSync(file) ? readFileSync(file, "utf8") : "";
    };

    beforeAll(async () => {
      const file = join(shared.cluster.dataDir, "statefulset.json");
      writeFileSync(file, JSON.stringify(statefulSet));
      await kubectl("apply", "-f", file);
    });

    test("a StatefulSet with claims runs, each pod with its own volume", async () => {
      await kubectl("rollout", "status", "statefulset/db", "--timeout=240s");
      expect(await kubectl("get", "storageclass", "--no-headers")).toMatch(/^local-path \(default\)\s/);
      const made = await volumes();
      expect(made.map(({ spec }) => spec.claimRef?.name).sort()).toEqual(["data-db-0", "data-db-1"]);
      expect(made.map(({ status }) => status.phase)).toEqual(["Bound", "Bound"]);
      await poll({ what: "files of the pods" }, async () => (await startsOf("db-1")) !== "");
      expect([await startsOf("db-0"), await startsOf("db-1")]).toEqual(["db-0\n", "db-1\n"]);
    });

    test("the data of a pod survives its deletion", async () => {
      await kubectl("delete", "pod", "db-0", "--timeout=120s");
      await kubectl("rollout", "status", "statefulset/db", "--timeout=240s");
      await poll({ what: "the second start" }, async () => (await startsOf("db-0")) === "db-0\ndb-0\n");
    });

    test("a claim can be enlarged", async () => {
      const patch = JSON.stringify({ spec: { resources: { requests: { storage: "32Mi" } } } });
      await kubectl("patch", "pvc", "data-db-1", "--type=merge", `--patch=${patch}`);
      await kubectl("wait", "pvc/data-db-1", "--for=jsonpath={.status.capacity.storage}=32Mi", "--timeout=60s");
    });

    test("a manager that is killed while volumes are created creates none twice", async () => {
      const patch = JSON.stringify({ spec: { replicas: 5 } });
      await kubectl("patch", "statefulset", "db", "--type=merge", `--patch=${patch}`);
      for (const claims of [3, 4]) {
        await poll({ what: `${claims} claims`, intervalMs: 20 }, async () => {
          const { items } = await kubectl.json<List<unknown>>("get", "pvc");
          return items.length >= claims;
        });
        shared.cluster.kill9("orch-controller-manager");
        await shared.cluster.up();
      }
      await kubectl("rollout", "status", "statefulset/db", "--timeout=240s");
      const claimed = (await volumes()).map(({ spec }) => spec.claimRef?.name);
      expect(claimed.sort()).toEqual([0, 1, 2, 3, 4].map((i) => `data-db-${i}`));
      expect(folders()).toHaveLength(5);
    });

    test("volumes and their folders are removed with the claims", async () => {
      await kubectl("delete", "statefulset", "db", "--timeout=120s");
      await kubectl("delete", "pvc", "--all", "--timeout=120s");
      await poll({ what: "the volumes to be gone", timeoutMs: 60_000 }, async () => (await volumes()).length === 0);
      expect(folders()).toEqual([]);
    });
  });
}
