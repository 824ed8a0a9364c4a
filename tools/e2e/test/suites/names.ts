import { Resolver } from "node:dns/promises";
import { readFileSync } from "node:fs";
import { poll } from "@orchernetes/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import type { SharedCluster } from "../../src/shared-cluster.ts";

const NAMESPACE = "names";
const PODS = ["peer-0", "peer-1"];

/** A pod that serves its name, on a node of its own. Its hostname and subdomain give it a name of the headless service. */
const pod = (name: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { app: "web" } },
  spec: {
    hostname: name,
    subdomain: "peers",
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: "web",
        image: "localhost/busybox:1",
        command: ["sh", "-c", "mkdir /w; hostname > /w/index.html; exec httpd -f -p 8080 -h /w"],
        readinessProbe: { httpGet: { path: "/", port: 8080 }, periodSeconds: 1 },
      },
    ],
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "orchernetes.io/hostname",
        whenUnsatisfiable: "DoNotSchedule",
        labelSelector: { matchLabels: { app: "web" } },
      },
    ],
  },
});

const service = (name: string, spec: object) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { selector: { app: "web" }, ports: [{ name: "http", port: 80, targetPort: 8080 }], ...spec },
});

/** Names of services and pods, asked for in pods of two nodes and on the host. */
export function namesSuite(shared: SharedCluster): void {
  describe("names of two nodes", () => {
    shared.useNamespace(NAMESPACE);
    const kubectl = shared.kubectl(NAMESPACE);
    const from = (name: string, ...command: readonly string[]) => kubectl("exec", name, "--", ...command);
    /** The answer of the service to a pod. */
    const finds = (name: string) => from(name, "curl", "-sS", "-m", "5", "http://web");

    beforeAll(async () => {
      const client = shared.cluster.client();
      const create = (plural: string, body: object) =>
        client.request({ method: "POST", path: `/api/v1/namespaces/${NAMESPACE}/${plural}`, body });
      for (const name of PODS) await create("pods", pod(name));
      await create("services", service("web", {}));
      await create("services", service("peers", { clusterIP: "None" }));
      await kubectl("wait", "--for=condition=Ready", "--timeout=240s", ...PODS.map((name) => `pod/${name}`));
      await poll({ what: "the service", timeoutMs: 30_000 }, () => finds("peer-0").catch(() => undefined));
    });

    test("pods of both nodes reach a service by its short and its whole name", async () => {
      const hosts = ["web", `web.${NAMESPACE}`, `web.${NAMESPACE}.svc.cluster.local`];
      for (const name of PODS) {
        const answers = await from(name, "curl", "-sS", "-m", "10", ...hosts.map((host) => `http://${host}`));
        expect(answers.trim().split("\n")).toHaveLength(hosts.length);
        expect(PODS).toEqual(expect.arrayContaining(answers.trim().split("\n")));
      }
    });

    test("each pod of a headless service has a name", async () => {
      for (const name of PODS) {
        const answer = await from("peer-1", "curl", "-sS", "-m", "10", `http://${name}.peers:8080`);
        expect(answer.trim()).toBe(name);
      }
      const addresses = await from("peer-0", "getent", "ahostsv4", "peers");
      expect(new Set(addresses.match(/^\S+/gm)).size).toBe(PODS.length);
    });

    test("names outlive the daemon that serves them", async () => {
      // The first daemon that could bind the address serves it for both nodes; either may be the one.
      for (const node of shared.cluster.nodes) {
        shared.cluster.kill9(`orch-proxy-${node.name}`);
        for (const name of PODS) {
          await poll({ what: `names in ${name}`, timeoutMs: 20_000 }, () => finds(name).catch(() => undefined));
        }
        await shared.cluster.up();
      }
    });

    test("the host resolves them, too, at the address of the service orch-dns", async () => {
      const { spec } = await kubectl.json<{ readonly spec: { readonly clusterIP: string } }>(
        "get",
        "service",
        "orch-dns",
        "--namespace=orch-system",
      );
      const { dns } = JSON.parse(readFileSync(`${shared.cluster.dataDir}/cluster.json`, "utf8"));
      expect(dns).toEqual({ address: spec.clusterIP });
      const resolver = new Resolver();
      resolver.setServers([spec.clusterIP]);
      expect(await resolver.resolveSrv(`_http._tcp.peers.${NAMESPACE}.svc.cluster.local`)).toHaveLength(PODS.length);
    });
  });
}
