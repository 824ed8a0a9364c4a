import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import {
  AppsV1Api,
  AutoscalingV1Api,
  BatchV1Api,
  CoreV1Api,
  Exec,
  KubeConfig,
  type KubernetesObject,
  KubernetesObjectApi,
  Log,
  PatchStrategy,
  PolicyV1Api,
  setHeaderOptions,
  type V1Status,
  Watch,
} from "@kubernetes/client-node";
import packageFile from "@kubernetes/client-node/package.json" with { type: "json" };
import { appliedConfigMap, LABELS, manifests, NAME, PATCHES } from "./manifests.ts";
import { POD_GREETING, type StockClient, type Target } from "./operations.ts";

function configOf({ clientConfig }: Target): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(clientConfig);
  return config;
}

const as = (strategy: PatchStrategy) => setHeaderOptions("Content-Type", strategy);

/** Watches ConfigMaps until one is modified. `act` runs after the first event, when the watch has certainly begun. */
async function watchModified(target: Target, act: () => Promise<unknown>): Promise<void> {
  const seen = Promise.withResolvers<void>();
  let acted: Promise<unknown> | undefined;
  const path = `/api/v1/namespaces/${target.namespace}/configmaps`;
  const controller = await new Watch(configOf(target)).watch(
    path,
    { allowWatchBookmarks: true },
    (phase, object: { readonly metadata: { readonly name: string } }) => {
      acted ??= act();
      acted.catch(seen.reject);
      if (phase === "MODIFIED" && object.metadata.name === NAME) seen.resolve();
    },
    (error: unknown) => seen.reject(new Error(`the watch ended: ${String(error)}`)),
  );
  try {
    await seen.promise;
  } finally {
    controller.abort();
  }
}

/** Runs a command in the target's pod. */
async function execIn(target: Target, command: readonly string[]): Promise<{ stdout: string; status: V1Status }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const output = text(stdout);
  stderr.resume();
  const status = await new Promise<V1Status>((resolve, reject) => {
    const { namespace, pod = "" } = target;
    new Exec(configOf(target))
      .exec(namespace, pod, "main", [...command], stdout, stderr, null, false, resolve)
      .catch((error: unknown) => reject(error instanceof Error ? error : new Error("the connection failed")));
  });
  stdout.end();
  return { stdout: await output, status };
}

/** The npm package `@kubernetes/client-node`. */
export const nodeClient: StockClient = {
  name: `@kubernetes/client-node ${packageFile.version}`,
  operations: {
    async create(target) {
      const api = KubernetesObjectApi.makeApiClient(configOf(target));
      for (const manifest of manifests(target.namespace)) {
        const created = await api.create<KubernetesObject>(manifest);
        assert.ok(created.metadata?.uid, `${manifest.kind} has no uid`);
      }
    },
    async list(target) {
      const config = configOf(target);
      const query = { namespace: target.namespace, labelSelector: `app=${NAME}` };
      const core = config.makeApiClient(CoreV1Api);
      const lists = await Promise.all([
        core.listNamespacedConfigMap(query),
        core.listNamespacedService(query),
        config.makeApiClient(AppsV1Api).listNamespacedDeployment(query),
        config.makeApiClient(BatchV1Api).listNamespacedCronJob(query),
        config.makeApiClient(AutoscalingV1Api).listNamespacedHorizontalPodAutoscaler(query),
        config.makeApiClient(PolicyV1Api).listNamespacedPodDisruptionBudget(query),
      ]);
      for (const { items, kind } of lists) assert.equal(items[0]?.metadata?.name, NAME, kind ?? "");
      assert.ok(lists[2].items[0]?.metadata?.creationTimestamp instanceof Date);
    },
    watch: (target) =>
      watchModified(target, async () => {
        const core = configOf(target).makeApiClient(CoreV1Api);
        const body = { metadata: { annotations: { seen: "yes" } } };
        await core.patchNamespacedConfigMap(
          { name: NAME, namespace: target.namespace, body },
          as(PatchStrategy.MergePatch),
        );
      }),
    async "json patch"(target) {
      const core = configOf(target).makeApiClient(CoreV1Api);
      const request = { name: NAME, namespace: target.namespace, body: PATCHES.json };
      const { data } = await core.patchNamespacedConfigMap(request, as(PatchStrategy.JsonPatch));
      assert.deepEqual(data, { color: "green", shape: "round" });
    },
    async "merge patch"(target) {
      const core = configOf(target).makeApiClient(CoreV1Api);
      const request = { name: NAME, namespace: target.namespace, body: PATCHES.merge };
      const { data } = await core.patchNamespacedConfigMap(request, as(PatchStrategy.MergePatch));
      assert.deepEqual(data, { color: "green", size: "big" });
    },
    async "strategic patch"(target) {
      const apps = configOf(target).makeApiClient(AppsV1Api);
      const request = { name: NAME, namespace: target.namespace, body: PATCHES.strategic };
      const { spec } = await apps.patchNamespacedDeployment(request, as(PatchStrategy.StrategicMergePatch));
      const names = spec?.template.spec?.containers.flatMap(({ env = [] }) => env.map((variable) => variable.name));
      assert.deepEqual(names?.sort(), ["FIRST", "SECOND"]);
    },
    async "server-side apply"(target) {
      const api = KubernetesObjectApi.makeApiClient(configOf(target));
      const apply = (manager: string, data: Record<string, string>, force = false) =>
        api.patch(
          appliedConfigMap(target.namespace, "served", data),
          undefined,
          undefined,
          manager,
          force,
          PatchStrategy.ServerSideApply,
        );
      await apply("one", { a: "1", b: "1" });
      assert.deepEqual((await apply("one", { a: "1" })).data, { a: "1" });
      await assert.rejects(apply("two", { a: "2" }), { code: 409 });
      const taken = await apply("two", { a: "2" }, true);
      assert.deepEqual([taken.data, taken.metadata.labels], [{ a: "2" }, LABELS]);
    },
    async delete(target) {
      const api = KubernetesObjectApi.makeApiClient(configOf(target));
      for (const manifest of manifests(target.namespace)) await api.delete(manifest);
      const request = { name: NAME, namespace: target.namespace };
      await assert.rejects(configOf(target).makeApiClient(CoreV1Api).readNamespacedConfigMap(request), { code: 404 });
    },
    async logs(target) {
      const stream = new PassThrough();
      await new Log(configOf(target)).log(target.namespace, target.pod ?? "", "main", stream, { tailLines: 5 });
      assert.ok((await text(stream)).startsWith(POD_GREETING));
    },
    async exec(target) {
      const answer = await execIn(target, ["sh", "-c", "echo $((6 * 7))"]);
      assert.deepEqual([answer.stdout, answer.status.status], ["42\n", "Success"]);
      const { status } = await execIn(target, ["sh", "-c", "exit 5"]);
      assert.deepEqual(status.details?.causes, [{ reason: "ExitCode", message: "5" }]);
    },
  },
};
