import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { connect } from "node:net";
import { poll, startCluster, type TestCluster } from "@orchernetes/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Kubectl, kubectlFor } from "../src/kubectl.ts";
import { cannotRun, kubectlPath, title } from "../src/prerequisites.ts";
import type { List, Pod } from "../src/types.ts";

const flavour = { store: "embedded", runtime: "containerd" } as const;
const REPLICAS = 4;
/** Of the range for documentation: nobody answers there but the service that has it. */
const EXTERNAL_IP = "192.0.2.77";

const labels = { app: "web" };
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web" },
  spec: {
    replicas: REPLICAS,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: "web",
            image: "localhost/busybox:1",
            command: ["sh", "-c", "mkdir /w; hostname > /w/index.html; exec httpd -f -p 8080 -h /w"],
            readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 },
          },
        ],
        // Two of them are on each node.
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: "orchernetes.io/hostname",
            whenUnsatisfiable: "DoNotSchedule",
            labelSelector: { matchLabels: labels },
          },
        ],
      },
    },
  },
};
const service = (name: string, spec: object, selector: object = labels) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { selector, ports: [{ port: 80, targetPort: 8080 }], ...spec },
});
const objects = [
  deployment,
  service("web", { type: "NodePort" }),
  service("sticky", { sessionAffinity: "ClientIP" }),
  service("balanced", { type: "LoadBalancer", externalIPs: [EXTERNAL_IP] }),
  service("empty", {}, { app: "none" }),
];

/** A service with the addresses that its cloud has given it. */
interface LoadBalanced {
  readonly status: { readonly loadBalancer: { readonly ingress?: readonly { readonly ip: string }[] } };
}

/** The body of a response over a connection of its own. */
function ask(address: string, port = 80): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get({ host: address, port, agent: false, timeout: 10_000 }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve(text.trim()));
      response.on("error", reject);
    });
    request.on("timeout", () => request.destroy(new Error("no answer within 10 s")));
    request.on("error", reject);
  });
}

describe(title("services of two nodes", flavour), () => {
  const skip = cannotRun(flavour) !== undefined;
  let cluster: TestCluster;
  let kubectl: Kubectl;
  let pods: readonly Pod[];
  let names: readonly string[];
  const spec = async (name: string) =>
    (
      await kubectl.json<{
        readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly nodePort: number }[] };
      }>("get", "service", name)
    ).spec;
  const addressOf = async (name: string) => (await spec(name)).clusterIP;
  /** Bodies of several requests from a pod. */
  const askFrom = async (pod: string, address: string, port = 80, times = 1): Promise<readonly string[]> => {
    const once = `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 10 ${address} ${port} | tail -n 1`;
    const text = await kubectl("exec", pod, "--", "sh", "-c", `for i in $(seq ${times}); do ${once}; done`);
    return text.trim().split("\n");
  };

  beforeAll(async () => {
    if (skip) return;
    cluster = await startCluster({ ...flavour, nodes: 2 });
    kubectl = kubectlFor(kubectlPath ?? "", cluster);
    const client = cluster.client();
    for (const object of objects) {
      const path =
        object.kind === "Service"
          ? "/api/v1/namespaces/default/services"
          : "/apis/apps/v1/namespaces/default/deployments";
      await client.request({ method: "POST", path, body: object });
    }
    await kubectl("rollout", "status", "deployment/web", "--timeout=240s");
    pods = (await kubectl.json<List<Pod>>("get", "pods", "-l", "app=web")).items;
    names = pods.map(({ metadata }) => metadata.name).sort();
    const address = await addressOf("web");
    await poll({ what: "the service", timeoutMs: 30_000 }, () => ask(address).catch(() => undefined));
  });
  afterAll(async () => {
    await cluster?.stop();
  });

  test.skipIf(skip)(
    "every endpoint answers at the service's address, to the host and to pods of both nodes",
    async () => {
      const address = await addressOf("web");
      const many = Array.from({ length: 40 });
      expect([...new Set(await Promise.all(many.map(() => ask(address))))].sort()).toEqual(names);
      for (const pod of names) expect([...new Set(await askFrom(pod, address, 80, 40))].sort()).toEqual(names);
    },
  );

  test.skipIf(skip)("a service without endpoints refuses connections", async () => {
    const address = await addressOf("empty");
    await expect(ask(address)).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await expect(askFrom(names[0] ?? "", address)).resolves.toEqual([""]);
  });

  test.skipIf(skip)("a node port answers at every node's address, to the host and to pods", async () => {
    const port = (await spec("web")).ports[0]?.nodePort ?? 0;
    const { items } = await kubectl.json<
      List<{ readonly status: { readonly addresses: readonly { readonly address: string; readonly type: string }[] } }>
    >("get", "nodes");
    const nodes = items.flatMap(({ status }) =>
      status.addresses.flatMap(({ type, address }) => (type === "InternalIP" ? [address] : [])),
    );
    expect(nodes).toHaveLength(2);
    for (const node of [...nodes, "127.0.0.1"]) expect(names).toContain(await ask(node, port));
    for (const node of nodes) for (const pod of names) expect(names).toContain((await askFrom(pod, node, port))[0]);
  });

  test.skipIf(skip)("the addresses of a load balancer answer, and so does an external address", async () => {
    const addresses = await poll({ what: "addresses of the load balancer", timeoutMs: 30_000 }, async () => {
      const { status } = await kubectl.json<LoadBalanced>("get", "service", "balanced");
      return status.loadBalancer.ingress?.map(({ ip }) => ip);
    });
    for (const address of [...addresses, EXTERNAL_IP]) {
      expect(names).toContain(await ask(address));
      for (const pod of names) expect(names).toContain((await askFrom(pod, address))[0]);
    }
  });

  test.skipIf(skip)("with affinity a client stays with its endpoint", async () => {
    const address = await addressOf("sticky");
    const fromHost = await Promise.all(Array.from({ length: 20 }, () => ask(address)));
    expect(new Set(fromHost).size).toBe(1);
    const fromPod = await askFrom(names[0] ?? "", address, 80, 20);
    expect(new Set(fromPod).size).toBe(1);
  });

  test.skipIf(skip)("pods and the host reach the API server at the address of its service", async () => {
    const address = await addressOf("orchernetes");
    const socket = connect({ host: address, port: 443, timeout: 5000 });
    await once(socket, "connect");
    socket.destroy();
    for (const pod of names) await kubectl("exec", pod, "--", "sh", "-c", `nc -w 5 ${address} 443 < /dev/null`);
  });

  test.skipIf(skip)(
    "a policy that denies blocks pods of both nodes but no node, and one that allows by label lets pass",
    async () => {
      const policies = "/apis/networking.o8s.io/v1/namespaces/default/networkpolicies";
      const podSelector = { matchLabels: labels };
      const from = [{ podSelector: { matchLabels: { role: "client" } } }];
      const specs = { deny: { podSelector }, allow: { podSelector, ingress: [{ from, ports: [{ port: 8080 }] }] } };
      const create = (name: keyof typeof specs) =>
        cluster.client().request({ method: "POST", path: policies, body: { metadata: { name }, spec: specs[name] } });
      const [client = "", other = ""] = pods.map(({ metadata }) => metadata.name);
      const servers = pods.slice(2).map(({ status }) => status.podIP ?? "");
      /** Which servers answer a pod within two seconds. */
      const reached = (pod: string) =>
        Promise.all(
          servers.map(async (address) => {
            const request = `printf 'GET / HTTP/1.0\\r\\n\\r\\n' | nc -w 2 ${address} 8080 | tail -n 1`;
            return (await kubectl("exec", pod, "--", "sh", "-c", request)).trim() !== "";
          }),
        );
      const until = (what: string, pod: string, wanted: boolean) =>
        poll({ what, timeoutMs: 30_000 }, async () => (await reached(pod)).every((answers) => answers === wanted));
      expect(await reached(client)).toEqual(servers.map(() => true));
      await create("deny");
      await until("denied connections", client, false);
      for (const address of servers) expect(names).toContain(await ask(address, 8080));
      await create("allow");
      await kubectl("label", "pod", client, "role=client");
      await until("allowed connections", client, true);
      expect(await reached(other)).toEqual(servers.map(() => false));
      await kubectl("delete", "networkpolicy", "deny", "allow");
      await until("connections without policies", other, true);
    },
  );

  test.skipIf(skip)("ten thousand requests succeed while the daemon is killed and started again", async () => {
    const address = await addressOf("web");
    const total = 10_000;
    let begun = 0;
    let answered = 0;
    const failures: unknown[] = [];
    const worker = async () => {
      while (begun++ < total) {
        try {
          await ask(address);
          answered++;
        } catch (error) {
          failures.push(error);
        }
      }
    };
    const workers = Array.from({ length: 8 }, worker);
    await poll({ what: "the first requests", timeoutMs: 60_000 }, async () => answered > total / 10 || undefined);
    for (const { name } of cluster.nodes) cluster.kill9(`orch-proxy-${name}`);
    await poll({ what: "further requests", timeoutMs: 60_000 }, async () => answered > total / 4 || undefined);
    await cluster.up();
    await Promise.all(workers);
    expect([failures, answered]).toEqual([[], total]);
  });

  test.skipIf(skip)("after that, endpoints that go are not used, and new ones are", async () => {
    const address = await addressOf("web");
    await kubectl("scale", "deployment/web", "--replicas=1");
    await poll({ what: "the last pod", timeoutMs: 60_000 }, async () => {
      const left = (await kubectl.json<List<Pod>>("get", "pods", "-l", "app=web")).items;
      return left.length === 1 || undefined;
    });
    const seen = await poll({ what: "answers of one pod", timeoutMs: 30_000 }, async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => ask(address).catch(() => "none")));
      const [only, ...others] = new Set(answers);
      return others.length === 0 && only !== "none" ? only : undefined;
    });
    expect(names).toContain(seen);
  });

  test.skipIf(skip)("down leaves no table and no interface", async () => {
    const { nodes } = JSON.parse(readFileSync(`${cluster.dataDir}/cluster.json`, "utf8")) as {
      readonly nodes: readonly { readonly bridge: string }[];
    };
    const left = () =>
      [execFileSync("nft", ["list", "tables"]), execFileSync("ip", ["-o", "link"])]
        .join("\n")
        .split("\n")
        .filter((line) => nodes.some(({ bridge }) => line.includes(bridge)));
    expect(left().length).toBeGreaterThanOrEqual(2 * nodes.length);
    await cluster.stop();
    expect(left()).toEqual([]);
  });
});
