import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { certificates, core } from "@orchernetes/api";
import { createClient, loadClientConfig } from "@orchernetes/client";
import { poll, service } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { runCheck } from "../../src/run-check.ts";
import type { SharedCluster } from "../../src/shared-cluster.ts";

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** What a cluster of the default profile is before anybody has used it. */
export function defaultProfileSuite(shared: SharedCluster): void {
  test("a cluster of the default profile fails the controls that profile hardened is for", async () => {
    const result = await runCheck(shared.cluster);
    const audit = ["1.2.17", "1.2.18", "1.2.19", "1.2.20", "3.2.1", "3.2.2"];
    const encryption = ["1.2.28", "1.2.29"];
    const profiling = ["1.2.16", "1.3.2", "1.4.1"];
    const pods = ["5.2.1", "5.2.2", "5.2.3", "5.2.4", "5.2.5", "5.2.9", "5.2.11", "5.2.12", "5.2.13"];
    const expected = ["1.2.1", ...audit, ...encryption, ...profiling, ...pods];
    expect([...result.numbers("fail")].sort()).toEqual(expected.sort());
    expect(result.numbers("warn")).toEqual(expect.arrayContaining(["1.2.11", "4.2.11", "4.2.13", "5.1.5", "5.1.7"]));
    expect(result.exitCode).toBe(1);
  });

  test("the nodes have joined with a bootstrap token, which is gone", async () => {
    const { cluster } = shared;
    const client = cluster.client();
    const { items } = await client.resource(certificates.certificateSigningRequests).list();
    expect(items.map(({ spec, status }) => [spec.username, status?.conditions?.[0]?.type])).toEqual(
      cluster.nodes.map(() => [expect.stringMatching(/^system:bootstrap:[a-z0-9]{6}$/), "Approved"]),
    );
    const secrets = await client.resource(core.secrets).namespace("orch-system").list();
    expect(secrets.items.filter(({ type }) => type === "bootstrap.orchernetes.io/token")).toEqual([]);
    expect(existsSync(`${cluster.dataDir}/config/bootstrap.orchconfig`)).toBe(false);
    const agent = createClient(loadClientConfig(`${cluster.dataDir}/config/node-1.orchconfig`));
    expect((await agent.resource(core.nodes).get("node-1")).metadata.name).toBe("node-1");
    agent.close();
  });

  test("a service of type LoadBalancer gets the addresses of the nodes, and can be deleted", async () => {
    const client = shared.cluster.client();
    const services = client.resource(core.services).namespace("default");
    const { items } = await client.resource(core.nodes).list();
    expect(items.map((node) => node.spec?.providerID)).toEqual(items.map(({ metadata }) => `local://${metadata.name}`));
    const addresses = items.map(({ status }) => status?.addresses?.find(({ type }) => type === "InternalIP")?.address);
    expect(new Set(addresses).size).toBe(shared.cluster.nodes.length);
    const { metadata, spec } = service("balanced").spec({ type: "LoadBalancer" }).port(8088).build();
    await services.create({ metadata: { name: metadata.name }, spec } as never);
    const ingress = await poll({ what: "an address", timeoutMs: 30_000 }, async () => {
      const { status } = await services.get("balanced");
      return status?.loadBalancer?.ingress;
    });
    expect(ingress).toHaveLength(addresses.length);
    expect(ingress).toEqual(expect.arrayContaining(addresses.map((ip) => ({ ip }))));
    await services.delete("balanced");
    await poll({ what: "the deletion", timeoutMs: 30_000 }, async () =>
      (await services.list()).items.every((item) => item.metadata.name !== "balanced"),
    );
  });
}

/** What `up` says of a daemon that does not start, and that `down` leaves nothing. It ends the cluster. */
export function upAndDownSuite(shared: SharedCluster): void {
  /** The port a daemon listens on, as the state file of the tool tells it. */
  const portOf = (daemon: "controllerManager" | "scheduler"): number => {
    const state = JSON.parse(readFileSync(`${shared.cluster.dataDir}/cluster.json`, "utf8")) as Record<string, number>;
    return state[`${daemon}Port`] ?? 0;
  };

  test.each([
    ["orch-controller-manager", "controllerManager"],
    ["orch-scheduler", "scheduler"],
  ] as const)("up names %s when it dies at its start, with the end of its log", async (daemon, key) => {
    const { cluster } = shared;
    const pid = cluster.pid(daemon);
    cluster.kill9(daemon);
    await poll({ what: `${daemon} to be gone`, intervalMs: 20 }, async () => !isAlive(pid));
    const blocker = createServer((socket) => socket.destroy()).listen(portOf(key), "127.0.0.1");
    await once(blocker, "listening");
    await expect(cluster.up()).rejects.toThrow(
      new RegExp(`${daemon} ended before healthy\\. The end of .*${daemon}\\.log:[^]*EADDRINUSE`),
    );
    await new Promise((resolve) => blocker.close(resolve));
    expect(await cluster.up()).toContain("is up");
  });

  test("down stops every process and deletes the folder", async () => {
    const { cluster } = shared;
    const pids = cluster.processes().map(cluster.pid);
    expect(pids.filter(isAlive)).toEqual(pids);
    await cluster.stop();
    await poll({ what: "the processes to be gone" }, async () => !pids.some(isAlive));
    expect(existsSync(cluster.dataDir)).toBe(false);
  });
}
