import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call } from "./support.ts";

let server: TestApiServer;
beforeAll(async () => {
  server = await startApiServer({
    flags: ["--feature-gates=UserNamespacesStatelessPodsSupport=true,DynamicResourceAllocation=true"],
  });
  for (const [namespace, enforce] of [
    ["default", "privileged"],
    ["strict", "restricted"],
  ] as const) {
    const labels = { "pod-security.orchernetes.io/enforce": enforce };
    const merge = { "content-type": "application/merge-patch+json" };
    const made = await call(server, "POST", "/api/v1/namespaces", { body: { metadata: { name: namespace, labels } } });
    if (made.status === 409)
      await call(server, "PATCH", `/api/v1/namespaces/${namespace}`, {
        body: { metadata: { labels } },
        headers: merge,
      });
    for (const name of ["default", "confined"]) {
      const annotations = { "orchernetes.io/enforce-mountable-secrets": String(name === "confined") };
      const body = { metadata: { name, annotations } };
      await call(server, "POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { body });
    }
  }
}, 60_000);
afterAll(() => server.stop());

const core = "/api/v1/namespaces/default";
const pod = (spec: object, name = "p") => ({
  metadata: { name },
  spec: { containers: [{ name: "c", image: "i" }], ...spec },
});

test.each<[what: string, path: string, body: object, status: number, words: string]>([
  [
    "secrets that an account does not list",
    `${core}/pods`,
    pod({ serviceAccountName: "confined", volumes: [{ name: "v", secret: { secretName: "s" } }] }, "confined"),
    403,
    "service account confined does not reference that secret",
  ],
  ["user namespaces", `${core}/pods`, pod({ hostUsers: false }, "users"), 403, "spec.hostUsers: found false"],
  [
    "claims of devices",
    `${core}/pods`,
    pod({ resourceClaims: [{ name: "c", source: { resourceClaimName: "c" } }] }, "devices"),
    201,
    "spec.resourceClaims: nothing allocates claims of devices",
  ],
  [
    "claims of devices in templates",
    "/apis/apps/v1/namespaces/default/deployments",
    {
      metadata: { name: "d" },
      spec: {
        selector: { matchLabels: { a: "b" } },
        template: {
          metadata: { labels: { a: "b" } },
          spec: {
            containers: [{ name: "c", image: "i" }],
            resourceClaims: [{ name: "c", source: { resourceClaimName: "c" } }],
          },
        },
      },
    },
    201,
    "spec.template.spec.resourceClaims: nothing allocates claims of devices",
  ],
])("%s are not accepted silently", async (_, path, body, status, words) => {
  const answer = await call(server, "POST", path, { body });
  expect([answer.status, answer.text]).toEqual([status, expect.anything()]);
  expect(status === 201 ? String(answer.headers.warning) : answer.json.message).toContain(words);
});

test("what is enforced, or asks for nothing, is accepted without a word", async () => {
  const limits = { limits: { "ephemeral-storage": "1Gi" } };
  const answer = await call(server, "POST", `${core}/pods`, {
    body: pod(
      {
        containers: [{ name: "c", image: "i", resources: limits }],
        volumes: [
          { name: "memory", emptyDir: { medium: "Memory", sizeLimit: "1Mi" } },
          { name: "disk", emptyDir: { sizeLimit: "1Mi" } },
        ],
      },
      "plain",
    ),
  });
  expect([answer.status, answer.headers.warning]).toEqual([201, undefined]);
  const claim = { accessModes: ["ReadWriteOncePod"], resources: { requests: { storage: "1Gi" } } };
  const body = { metadata: { name: "c" }, spec: claim };
  const claimed = await call(server, "POST", `${core}/persistentvolumeclaims`, { body });
  expect([claimed.status, claimed.headers.warning]).toEqual([201, undefined]);
  const policies = "/apis/networking.o8s.io/v1/namespaces/default/networkpolicies";
  const policy = await call(server, "POST", policies, { body: { metadata: { name: "n" }, spec: { podSelector: {} } } });
  expect([policy.status, policy.headers.warning]).toEqual([201, undefined]);
});
