import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NetworkNamespace } from "@orchernetes/proxy/testing";
import { daemonCommand, freePort, type GuardedProcess, logTail, poll, startGuarded } from "@orchernetes/testkit";
import type { RowContext } from "../row.ts";
import { plainServerFile } from "../servers/plain-server.ts";
import { serviceObjectsFile } from "../servers/service-objects.ts";

/** The pod that answers, and the service that leads to it. */
const POD = { address: "10.244.1.2", port: 8080 };
const CLUSTER_IP = "10.96.255.1";
const NODE_ADDRESS = "10.244.1.1";

/** How a service is reached from the node. */
export const serviceUrls = { nftables: `http://${CLUSTER_IP}/`, userspace: "http://127.96.255.1/" } as const;

/** How the pod itself is reached. */
export const podUrl = `http://${POD.address}:${POD.port}/`;

/** A node with a pod, in network namespaces of their own, whose services an orch-proxy of this project serves. */
export interface ServiceNode {
  inside(command: readonly string[]): readonly string[];
  /** Starts the proxy, and waits until the service answers. */
  startProxy(mode: keyof typeof serviceUrls): Promise<GuardedProcess>;
}

/**
 * Starts a node with a pod that answers, and an API server with its service and as many others.
 *
 * @param defer as that of a row
 */
export async function startServiceNode(others: number, defer: RowContext["defer"]): Promise<ServiceNode> {
  const dir = mkdtempSync(join(tmpdir(), "o8s-services-"));
  defer(() => rmSync(dir, { recursive: true, force: true }));
  const node = await NetworkNamespace.open();
  defer(() => node.close());
  const pod = await NetworkNamespace.open();
  defer(() => pod.close());
  connect(node, pod);
  const start = async (name: string, command: readonly string[]): Promise<GuardedProcess> => {
    const program = await startGuarded({ command, logFile: join(dir, `${name}.log`) });
    defer(async () => void (await program.end("SIGKILL")));
    return program;
  };
  const said = (name: string, what: RegExp): Promise<string> =>
    poll({ what: `${name} to be ready`, timeoutMs: 20_000 }, () => what.exec(logTail(join(dir, `${name}.log`)))?.[0]);
  const own = (namespace: NetworkNamespace, ...args: readonly (string | number)[]) =>
    namespace.inside([process.execPath, ...args.map(String)]);
  await start("pod", own(pod, plainServerFile, POD.address, POD.port));
  await start("api", own(node, serviceObjectsFile, CLUSTER_IP, POD.address, POD.port, others));
  await said("pod", /ready/);
  const url = await said("api", /http\S+/);
  return {
    inside: (command) => node.inside(command),
    async startProxy(mode) {
      const [healthz, metrics] = [await freePort(), await freePort()];
      const flags = [
        `--master=${url}`,
        `--proxy-mode=${mode}`,
        "--hostname-override=node-1",
        "--cluster-cidr=10.244.0.0/16",
        "--oom-score-adj=0",
        `--healthz-bind-address=127.0.0.1:${healthz}`,
        `--metrics-bind-address=127.0.0.1:${metrics}`,
      ];
      const proxy = await start(mode, node.inside(daemonCommand("orch-proxy", flags)));
      await poll({ what: `the service in mode ${mode}`, timeoutMs: 30_000 }, () => {
        if (!proxy.running) throw new Error(`the proxy ended: ${logTail(join(dir, `${mode}.log`))}`);
        node.run(process.execPath, ["--input-type=module", "-e", fetchOnce(serviceUrls[mode])]);
        return true;
      });
      return proxy;
    },
  };
}

const fetchOnce = (url: string): string => `await fetch(${JSON.stringify(url)}, { signal: AbortSignal.timeout(2000) })`;

/** A cable between a node and its pod. */
function connect(node: NetworkNamespace, pod: NetworkNamespace): void {
  const ip = (namespace: NetworkNamespace, command: string) => namespace.run("ip", command.split(" "));
  ip(node, `link add pod0 type veth peer name eth0 netns ${pod.pid}`);
  ip(node, `address add ${NODE_ADDRESS}/24 dev pod0`);
  ip(pod, `address add ${POD.address}/24 dev eth0`);
  ip(node, "link set pod0 up");
  ip(pod, "link set eth0 up");
  // Before its rules rewrite it, the kernel wants a route for a packet to a cluster address.
  ip(node, `route add default via ${POD.address}`);
  ip(pod, `route add default via ${NODE_ADDRESS}`);
}
