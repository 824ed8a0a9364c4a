import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadClientConfig } from "@orchernetes/client";
import { execWebSocket } from "@orchernetes/cri/testing";
import { poll } from "@orchernetes/testkit";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startPortForward } from "../../src/port-forward.ts";
import { kubectlPath } from "../../src/prerequisites.ts";
import type { SharedCluster } from "../../src/shared-cluster.ts";

const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web" },
  spec: {
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        name: "c",
        image: "localhost/busybox:1",
        imagePullPolicy: "IfNotPresent",
        command: [
          "sh",
          "-c",
          "mkdir /www; echo page > /www/index.html; httpd -p 8080 -h /www; echo started; while :; do sleep 1; done",
        ],
        resources: { requests: { cpu: "50m", memory: "16Mi" }, limits: { cpu: "200m", memory: "64Mi" } },
      },
    ],
  },
};

interface PodStats {
  readonly podRef: { readonly name: string };
  readonly cpu?: { readonly usageNanoCores?: number; readonly usageCoreNanoSeconds?: number };
  readonly memory?: { readonly workingSetBytes?: number };
  readonly network?: { readonly name: string; readonly rxBytes: number };
  readonly process_stats?: { readonly process_count: number };
  readonly containers: readonly {
    readonly name: string;
    readonly memory?: { readonly availableBytes?: number };
    readonly logs?: { readonly usedBytes: number };
    readonly rootfs?: { readonly capacityBytes?: number };
  }[];
}

/** What a node's agent serves of a pod in containerd, through the API server. */
export function nodeServerSuite(shared: SharedCluster): void {
  describe("the node agent's server", () => {
    shared.useNamespace("node-server");
    const kubectl = shared.kubectl("node-server");
    let name = "";
    const node = () => name;
    beforeAll(async () => {
      const file = join(shared.cluster.dataDir, "node-server.json");
      writeFileSync(file, JSON.stringify(pod));
      await kubectl("apply", "-f", file);
      await kubectl("wait", "--for=condition=Ready", "pod/web", "--timeout=120s");
      name = await kubectl("get", "pod", "web", "-o", "jsonpath={.spec.nodeName}");
    });

    const raw = (path: string): Promise<string> => kubectl("get", "--raw", `/api/v1/nodes/${node()}/proxy${path}`);

    test("statistics have the node and the pod with all of its parts", async () => {
      const read = async () =>
        JSON.parse(await raw("/stats/summary")) as { node: Record<string, unknown>; pods: PodStats[] };
      const what = "statistics of the pod";
      const web = await poll({ what }, async () => (await read()).pods.find(({ podRef }) => podRef.name === "web"));
      expect(web).toMatchObject({
        cpu: { usageNanoCores: expect.any(Number), usageCoreNanoSeconds: expect.any(Number) },
        memory: { workingSetBytes: expect.any(Number) },
        network: { name: "eth0", rxBytes: expect.any(Number) },
        containers: [
          {
            name: "c",
            memory: { availableBytes: expect.any(Number) },
            logs: { usedBytes: expect.any(Number) },
            rootfs: { capacityBytes: expect.any(Number) },
          },
        ],
      });
      // The container's limit of 64 MiB, and what it uses.
      expect(web.containers[0]?.memory?.availableBytes).toBeLessThan(64 * 1024 ** 2);
      expect(web.process_stats?.process_count).toBeGreaterThanOrEqual(2);
      const summary = await read();
      for (const part of ["cpu", "memory", "network", "fs", "runtime", "rlimit", "systemContainers"])
        expect(summary.node).toHaveProperty(part);
      expect(JSON.parse(await raw("/stats/summary?only_cpu_and_memory=true")).node).not.toHaveProperty("fs");
    });

    test("container metrics have the pod's container and its network", async () => {
      const page = await raw("/metrics/cadvisor");
      const line = (family: string, ...labels: readonly string[]) =>
        page.split("\n").find((one) => one.startsWith(`${family}{`) && labels.every((label) => one.includes(label)));
      expect(line("container_spec_memory_limit_bytes", 'container="c"', 'pod="web"')).toMatch(/ 67108864$/);
      expect(line("container_cpu_usage_seconds_total", 'container="c"', 'cpu="total"', 'pod="web"')).toBeDefined();
      expect(line("container_network_receive_bytes_total", 'interface="eth0"', 'pod="web"')).toBeDefined();
      expect(line("container_memory_working_set_bytes", 'id="/"')).toBeDefined();
      expect(page).toContain("container_scrape_error 0");
    });

    test("the host's logs and the settings are served", async () => {
      expect(await raw("/logs/")).toMatch(/^<pre>\n/);
      await expect(raw("/logs/nothing-there")).rejects.toThrow(/NotFound|not found/i);
      const { orchletconfig } = JSON.parse(await raw("/configz"));
      expect(orchletconfig).toMatchObject({ kind: "OrchletConfiguration", streamingConnectionIdleTimeout: "4h0m0s" });
    });

    test.each(["v5.channel.o8s.io", "v5.channel.k8s.io"])(
      "a command runs with %s, and its input ends",
      async (protocol) => {
        const { tls } = loadClientConfig(shared.cluster.clientConfig);
        const { ca, cert, key } = (typeof tls === "function" ? tls() : tls) ?? {};
        const query =
          "container=c&stdin=true&stdout=true&stderr=true&command=sh&command=-c&command=cat;%20echo%20end%20%3E%262;%20exit%203";
        const url = `${shared.cluster.url.replace(/^http/, "ws")}/api/v1/namespaces/node-server/pods/web/exec?${query}`;
        const result = await execWebSocket(url, {
          protocol,
          stdin: "to the end of input",
          tls: { ...(ca && { ca: String(ca) }), ...(cert && { cert: String(cert) }), ...(key && { key: String(key) }) },
        });
        expect(result).toEqual({
          ...{ protocol, stdout: "to the end of input", stderr: "end\n" },
          status: expect.stringMatching(/"reason":"ExitCode","message":"3"/),
        });
      },
    );

    test("a port of the pod is forwarded to stock clients", async () => {
      const forward = await startPortForward({
        ...{ kubectl: kubectlPath ?? "", cluster: shared.cluster },
        ...{ namespace: "node-server", target: "pod/web", port: 8080 },
      });
      onTestFinished(() => forward.stop());
      const url = `http://127.0.0.1:${forward.port}/`;
      const pages = await Promise.all([1, 2, 3].map(async () => (await fetch(url)).text()));
      expect(pages).toEqual(["page\n", "page\n", "page\n"]);
    });

    test("stock clients run commands over SPDY and read logs", async () => {
      expect(await kubectl("exec", "web", "--", "echo", "hello")).toBe("hello\n");
      expect(await kubectl("logs", "web", "--tail=1")).toBe("started\n");
    });
  });
}
