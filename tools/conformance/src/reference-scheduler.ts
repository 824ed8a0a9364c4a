import { access, constants } from "node:fs/promises";
import { join } from "node:path";
import { loadClientConfig } from "@orchernetes/client";
import {
  oldAtNew,
  poll,
  startReferenceScheduler,
  startTranslatingProxy,
  type TestCluster,
  writeOpenClientConfig,
} from "@orchernetes/testkit";
import type { Suite } from "./suite.ts";

/** The suite's own scheduler, which runs in place of this project's. */
export interface UsedScheduler {
  /** Ends it. The cluster can be stopped as usual then. */
  stop(): Promise<void>;
}

/** The lease of a scheduler that is the leader. */
const LEASE = "/apis/coordination.o8s.io/v1/namespaces/orch-system/leases/orch-scheduler";

/**
 * Replaces the scheduler of a local cluster by that of the suite, with the identity of the former. Between it and the API server is a
 * proxy that translates versions which level 1.27 does not serve.
 *
 * @throws Error with the end of its log if it does not become the leader; no scheduler runs then
 */
export async function useReferenceScheduler(suite: Suite, cluster: TestCluster): Promise<UsedScheduler> {
  await access(suite.scheduler, constants.X_OK);
  process.kill(cluster.pid("orch-scheduler"));
  const identity = loadClientConfig(join(cluster.dataDir, "config/orch-scheduler.orchconfig"));
  const proxy = await startTranslatingProxy(identity, oldAtNew);
  const dir = join(cluster.dataDir, "logs");
  const clientConfig = writeOpenClientConfig(join(cluster.dataDir, "config/reference-scheduler.orchconfig"), proxy.url);
  const scheduler = await startReferenceScheduler({ program: suite.scheduler, clientConfig, dir });
  const stop = async (): Promise<void> => {
    await scheduler.stop();
    proxy.close();
  };
  const client = cluster.client();
  try {
    await poll({ what: "the suite's scheduler to be the leader", timeoutMs: 60_000 }, async () => {
      if (!scheduler.running) return true;
      const { spec } = (await client.request({ method: "GET", path: LEASE })) as {
        readonly spec?: { readonly holderIdentity?: string };
      };
      return Boolean(spec?.holderIdentity);
    });
    if (!scheduler.running) throw new Error("it ended");
  } catch (cause) {
    await stop();
    throw new Error(`the suite's scheduler does not run; the end of its log:\n${scheduler.log(20)}`, { cause });
  }
  return { stop };
}
