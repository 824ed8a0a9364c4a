import { once } from "node:events";
import { get } from "node:http";
import { connect } from "node:net";
import { poll } from "@orchernetes/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import type { SharedCluster } from "../../src/shared-cluster.ts";
import type { List, Pod } from "../../src/types.ts";

const NAMESPACE = "services";
const REPLICAS = 4;
/** Of the range for documentation: nobody answers there but the service that has it. */
const EXTERNAL_IP = "192.0.2.77";

const labels = { app: "web" };
/** A page with the name of the pod, and one with the address that a client has. */
const SERVE = [
  "mkdir -p /w/cgi-bin; hostname > /w/index.html",
  "printf '#!/bin/sh\\necho; echo $REMOTE_ADDR\\n' > /w/cgi-bin/client; chmod 755 /w/cgi-bin/client",
  "exec httpd -f -p 8080 -h /w",
].join("; ");
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
            command: ["sh", "-c", SERVE],
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

/** Services of pods on two nodes, seen from the host and from pods. */
export function servicesSuite(shared: SharedCluster): void {
  describe("services of two nodes", () => {
    shared.useNamespace(NAMESPACE);
    const kubectl = shared.kubectl(NAMESPACE);
    let pods: readonly Pod[];
    let names: readonly string[];
    const spec = async (name: string) =>
      (
        await kubectl.json<{
          readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly nodePort: number }[] };
        }>("get", "service", name)
      ).spec;
    const addressOf = async (name: string) => (await spec(name)).clusterIP;
    /** The last line of what each address says to a request from a pod, empty where it says nothing. */
    const askFrom = async (
      pod: string,
      addresses: readonly string[],
      port = 80,
      page = "/",
    ): Promise<readonly string[]> => {
      const one = (address: string) =>
        `echo "$(printf 'GET ${page} HTTP/1.0\\r\\n\\r\\n' | nc -w 10 ${address} ${port} | tail -n 1)"`;
      const text = await kubectl("exec", pod, "--", "sh", "-c", addresses.map(one).join("; "));
      return text.split("\n").slice(0, addresses.length);
    };
    /** The same from every pod. */
    const askFromAll = (addresses: readonly string[], port = 80) =>
      Promise.all(names.map((pod) => askFrom(pod, addresses, port)));
    const repeated = (address: string, times: number) => Array.from({ length: times }, () => address);

    beforeAll(async () => {
      const client = shared.cluster.client();
      for (const object of objects) {
        const path =
          object.kind === "Service"
            ? `/api/v1/namespaces/${NAMESPACE}/services`
            : `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
        await client.request({ method: "POST", path, body: object });
      }
      await kubectl("rollout", "status", "deployment/web", "--timeout=240s");
      pods = (await kubectl.json<List<Pod>>("get", "pods", "-l", "app=web")).items;
      names = pods.map(({ metadata }) => metadata.name).sort();
      const address = await addressOf("web");
      await poll({ what: "the service", timeoutMs: 30_000 }, () => ask(address).catch(() => undefined));
    });

    test("every endpoint answers at the service's address, to the host and to pods of both nodes", async () => {
      const address = await addressOf("web");
      const many = Array.from({ length: 40 });
      expect([...new Set(await Promise.all(many.map(() => ask(address))))].sort()).toEqual(names);
      for (const answers of await askFromAll(repeated(address, 40)))
        expect([...new Set(answers)].sort()).toEqual(names);
    });

    test("pods see each other's own addresses, also through the service and from the other node", async () => {
      const service = await addressOf("web");
      for (const { metadata, status } of pods) {
        const own = status.podIP ?? "";
        const others = pods.flatMap(({ status: { podIP = "" } }) => (podIP === own ? [] : [podIP]));
        const direct = await askFrom(metadata.name, others, 8080, "/cgi-bin/client");
        expect(direct.map((seen) => seen.replace(/^\[::ffff:|\]$/g, ""))).toEqual(others.map(() => own));
        const through = await askFrom(metadata.name, repeated(service, 12), 80, "/cgi-bin/client");
        // A pod that reaches itself through the service sees the address of its bridge.
        const bridge = own.replace(/\d+$/, "1");
        for (const seen of through) expect([own, bridge]).toContain(seen.replace(/^\[::ffff:|\]$/g, ""));
      }
    });

    test("a service without endpoints refuses connections", async () => {
      const address = await addressOf("empty");
      await expect(ask(address)).rejects.toMatchObject({ code: "ECONNREFUSED" });
      await expect(askFrom(names[0] ?? "", [address])).resolves.toEqual([""]);
    });

    test("a node port answers at every node's address, to the host and to pods", async () => {
      const port = (await spec("web")).ports[0]?.nodePort ?? 0;
      const { items } = await kubectl.json<
        List<{
          readonly status: { readonly addresses: readonly { readonly address: string; readonly type: string }[] };
        }>
      >("get", "nodes");
      const nodes = items.flatMap(({ status }) =>
        status.addresses.flatMap(({ type, address }) => (type === "InternalIP" ? [address] : [])),
      );
      expect(nodes).toHaveLength(2);
      for (const node of [...nodes, "127.0.0.1"]) expect(names).toContain(await ask(node, port));
      for (const answers of await askFromAll(nodes, port)) expect(names).toEqual(expect.arrayContaining([...answers]));
    });

    test("the addresses of a load balancer answer, and so does an external address", async () => {
      const addresses = await poll({ what: "addresses of the load balancer", timeoutMs: 30_000 }, async () => {
        const { status } = await kubectl.json<LoadBalanced>("get", "service", "balanced");
        return status.loadBalancer.ingress?.map(({ ip }) => ip);
      });
      const all = [...addresses, EXTERNAL_IP];
      for (const address of all) expect(names).toContain(await ask(address));
      for (const answers of await askFromAll(all)) expect(names).toEqual(expect.arrayContaining([...answers]));
    });

    test("with affinity a client stays with its endpoint", async () => {
      const address = await addressOf("sticky");
      const fromHost = await Promise.all(Array.from({ length: 20 }, () => ask(address)));
      expect(new Set(fromHost).size).toBe(1);
      const fromPod = await askFrom(names[0] ?? "", repeated(address, 20));
      expect(new Set(fromPod).size).toBe(1);
    });

    test("pods and the host reach the API server at the address of its service", async () => {
      const { spec: own } = await kubectl.json<{ readonly spec: { readonly clusterIP: string } }>(
        ...["get", "service", "orchernetes", "--namespace=default"],
      );
      const address = own.clusterIP;
      const socket = connect({ host: address, port: 443, timeout: 5000 });
      await once(socket, "connect");
      socket.destroy();
      const connects = (pod: string) => kubectl("exec", pod, "--", "sh", "-c", `nc -w 5 ${address} 443 < /dev/null`);
      await Promise.all(names.map(connects));
    });

    test("a policy that denies blocks pods of both nodes but no node, and one that allows by label lets pass", async () => {
      const policies = `/apis/networking.o8s.io/v1/namespaces/${NAMESPACE}/networkpolicies`;
      const podSelector = { matchLabels: labels };
      const from = [{ podSelector: { matchLabels: { role: "client" } } }];
      const specs = { deny: { podSelector }, allow: { podSelector, ingress: [{ from, ports: [{ port: 8080 }] }] } };
      const create = (name: keyof typeof specs) =>
        shared.cluster.client().request({
          method: "POST",
          path: policies,
          body: { metadata: { name }, spec: specs[name] },
        });
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
    });

    test("ten thousand requests succeed while the daemon is killed and started again", async () => {
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
      for (const { name } of shared.cluster.nodes) shared.cluster.kill9(`orch-proxy-${name}`);
      await poll({ what: "further requests", timeoutMs: 60_000 }, async () => answered > total / 4 || undefined);
      await shared.cluster.up();
      await Promise.all(workers);
      expect([failures, answered]).toEqual([[], total]);
    });

    test("after that, endpoints that go are not used, and new ones are", async () => {
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
  });
}
