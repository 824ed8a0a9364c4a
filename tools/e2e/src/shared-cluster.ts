import { core } from "@orchernetes/api";
import { poll, type StartClusterOptions, startCluster, type TestCluster } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe } from "vitest";
import { type Kubectl, kubectlFor } from "./kubectl.ts";
import { cannotRun, type Flavour, kubectlPath, title } from "./prerequisites.ts";

/** A cluster that several suites use, one after the other, each in a namespace of its own: a start takes longer than most suites. */
export interface SharedCluster {
  readonly flavour: Flavour;
  /** @throws Error before the first test */
  readonly cluster: TestCluster;
  /** A kubectl that works in the namespace, unless it is told another one; without one as its users start it. */
  kubectl(namespace?: string): Kubectl;
  /** Makes a namespace in which pods can run. */
  createNamespace(namespace: string): Promise<void>;
  /** A namespace for the tests of the suite that calls this. It is deleted after them, which nobody waits for. */
  useNamespace(namespace: string): void;
}

/** Defines suites that share a cluster, which starts before them and stops after them; all are skipped where it cannot run. */
export function describeCluster(
  what: string,
  options: StartClusterOptions & Flavour,
  suites: (shared: SharedCluster) => void,
): void {
  describe.skipIf(cannotRun(options) !== undefined)(title(what, options), () => {
    let started: TestCluster | undefined;
    const cluster = (): TestCluster => {
      if (started === undefined) throw new Error("the cluster has not been started");
      return started;
    };
    beforeAll(async () => {
      started = await startCluster(options);
    });
    afterAll(() => started?.stop());
    const createNamespace = async (name: string): Promise<void> => {
      const client = cluster().client();
      await client.resource(core.namespaces).create({ metadata: { name } } as never);
      const accounts = client.resource(core.serviceAccounts).namespace(name);
      // Without it pods are refused.
      await poll({ what: `the account of ${name}`, intervalMs: 50 }, () => accounts.get("default"));
    };
    suites({
      flavour: options,
      get cluster() {
        return cluster();
      },
      kubectl: (namespace) => kubectlFor(kubectlPath ?? "", () => cluster(), namespace),
      createNamespace,
      useNamespace(name) {
        beforeAll(() => createNamespace(name));
        afterAll(async () => {
          await cluster().client().resource(core.namespaces).delete(name);
        });
      },
    });
  });
}
