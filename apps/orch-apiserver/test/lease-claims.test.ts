import { setTimeout as sleep } from "node:timers/promises";
import { ApiError } from "@orchernetes/apimachinery";
import { formatLeaseClaim, type LeaseClaim, leaseClaimHeader } from "@orchernetes/component-helpers";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";

let server: TestApiServer;
beforeAll(async () => {
  server = await startApiServer({ flags: ["--disable-admission-plugins=ServiceAccount"] });
}, 60_000);
afterAll(() => server?.stop());

const leases = "/apis/coordination.o8s.io/v1/namespaces/default/leases";
const pods = "/api/v1/namespaces/default/pods";
const claim: LeaseClaim = { namespace: "default", name: "l", holder: "a/1 ä", transitions: 3 };

interface Versioned {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly spec: { readonly nodeName?: string; readonly holderIdentity?: string; readonly leaseTransitions?: number };
}

const setLease = (holderIdentity: string, leaseTransitions: number, name = "l"): Promise<unknown> =>
  server.client().request({
    method: "PATCH",
    path: `${leases}/${name}`,
    contentType: "application/apply-patch+yaml",
    query: { fieldManager: "test", force: true },
    body: {
      apiVersion: "coordination.o8s.io/v1",
      kind: "Lease",
      metadata: { name },
      spec: { holderIdentity, leaseTransitions, leaseDurationSeconds: 15 },
    },
  });

async function createPod(name: string): Promise<void> {
  const body = { metadata: { name }, spec: { containers: [{ name: "c", image: "i" }] } };
  await server.client().request({ method: "POST", path: pods, body });
}

/** The status code of a binding, and the reason of its error's cause. */
async function bind(name: string, header: string | undefined, dryRun = false): Promise<readonly [number, string?]> {
  try {
    await server.client().request({
      method: "POST",
      path: `${pods}/${name}/binding`,
      body: { apiVersion: "v1", kind: "Binding", metadata: { name }, target: { kind: "Node", name: "n" } },
      ...(dryRun && { query: { dryRun: "All" } }),
      ...(header !== undefined && { headers: { [leaseClaimHeader]: header } }),
    });
    return [201];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const reason = error.status.details?.causes?.[0]?.reason;
    return reason === undefined ? [error.code] : [error.code, reason];
  }
}

test("a binding is made only while its claim is true", async () => {
  await createPod("p");
  const lost = [409, "LeaseNotHeld"];
  expect(await bind("p", formatLeaseClaim(claim))).toEqual(lost);
  await setLease(claim.holder, 3);
  expect(await bind("p", formatLeaseClaim({ ...claim, transitions: 2 }))).toEqual(lost);
  expect(await bind("p", formatLeaseClaim({ ...claim, holder: "b" }))).toEqual(lost);
  expect(await bind("p", formatLeaseClaim({ ...claim, namespace: "other" }))).toEqual(lost);
  expect(await bind("p", formatLeaseClaim({ ...claim, transitions: 2 }), true)).toEqual(lost);
  expect(await bind("p", "default/l;holder=a")).toEqual([400]);
  expect(await bind("p", "x".repeat(5000))).toEqual([400]);
  expect(await bind("p", formatLeaseClaim(claim), true)).toEqual([201]);
  expect(await bind("p", formatLeaseClaim(claim))).toEqual([201]);
  expect(await bind("p", formatLeaseClaim(claim))).toEqual([409]);
  await createPod("q");
  expect(await bind("q", undefined)).toEqual([201]);
}, 30_000);

test("claims are compared in the commit: while the lease changes hands, no binding is made that its claim does not cover", async () => {
  await setLease("a", 0, "moving");
  const count = 75;
  for (let i = 0; i < count; i += 25) await Promise.all(Array.from({ length: 25 }, (_, j) => createPod(`m${i + j}`)));
  const held: { readonly revision: number; readonly holder: string; readonly transitions: number }[] = [];
  const note = (lease: unknown): void => {
    const { metadata, spec } = lease as Versioned;
    const { holderIdentity: holder = "", leaseTransitions: transitions = 0 } = spec;
    held.push({ revision: Number(metadata.resourceVersion), holder, transitions });
  };
  note(await setLease("a", 1, "moving"));
  const claims = new Map<string, { readonly holder: string; readonly transitions: number }>();
  let done = false;
  const moving = (async () => {
    for (let i = 2; !done; i++) {
      note(await setLease(i % 2 === 0 ? "b" : "a", i, "moving"));
      await sleep(3);
    }
  })();
  await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const name = `m${i}`;
      for (;;) {
        const { holder, transitions } = held.at(-1) ?? { holder: "", transitions: 0 };
        const text = formatLeaseClaim({ namespace: "default", name: "moving", holder, transitions });
        const [code] = await bind(name, text);
        if (code !== 201) continue;
        claims.set(name, { holder, transitions });
        return;
      }
    }),
  );
  done = true;
  await moving;
  held.sort((a, b) => a.revision - b.revision);
  const { items } = (await server.client().request({ method: "GET", path: pods })) as { items: Versioned[] };
  const wrong = items.flatMap(({ metadata: { name, resourceVersion } }) => {
    const claimed = claims.get(name);
    if (claimed === undefined) return [];
    const then = held.findLast(({ revision }) => revision < Number(resourceVersion));
    const covered = then?.holder === claimed.holder && then.transitions === claimed.transitions;
    return covered ? [] : [{ name, claimed, then }];
  });
  expect([claims.size, wrong]).toEqual([count, []]);
}, 60_000);

/** The status code of a request, and the reason of its error's cause. */
async function call(method: "DELETE" | "PATCH" | "POST", path: string, holder: string, more: object = {}) {
  const header = formatLeaseClaim({ namespace: "default", name: "w", holder, transitions: 1 });
  try {
    await server.client().request({ method, path, headers: { [leaseClaimHeader]: header }, ...more });
    return "done";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.status.details?.causes?.[0]?.reason ?? error.code;
  }
}

test("every write of objects can have a claim", async () => {
  await setLease("a", 1, "w");
  const pod = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: "c", image: "i" }] } });
  const merge = "application/merge-patch+json";
  const status = { contentType: merge, body: { status: { nominatedNodeName: "n" } } };
  const labels = { contentType: merge, body: { metadata: { labels: { a: "b" } } } };
  const apply = {
    contentType: "application/apply-patch+yaml",
    query: { fieldManager: "t" },
    body: { apiVersion: "v1", kind: "Pod", metadata: { name: "w0", labels: { c: "d" } } },
  };
  const evict = { body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "w1" } } };
  const selected = { query: { labelSelector: "a=b" } };
  const rows = [
    ["POST", pods, { body: pod("w0") }],
    ["PATCH", `${pods}/w0/status`, status],
    ["PATCH", `${pods}/w0`, labels],
    ["PATCH", `${pods}/w0`, apply],
    ["POST", `${pods}/w1/eviction`, evict],
    ["DELETE", `${pods}/w2`, {}],
    ["DELETE", pods, selected],
  ] as const;
  for (const name of ["w1", "w2", "w3"]) await createPod(name);
  await bind("w2", undefined);
  for (const [method, path, more] of rows) {
    const dry = { ...more, query: { ...("query" in more ? more.query : {}), dryRun: "All" } };
    expect([path, await call(method, path, "b", dry)]).toEqual([path, "LeaseNotHeld"]);
    expect([path, await call(method, path, "b", more)]).toEqual([path, "LeaseNotHeld"]);
    expect([path, await call(method, path, "a", more)]).toEqual([path, "done"]);
  }
  const { items } = (await server.client().request({ method: "GET", path: pods })) as {
    items: readonly (Versioned & { readonly metadata: { readonly deletionTimestamp?: string } })[];
  };
  const left = items.filter(({ metadata }) => /^w\d/.test(metadata.name));
  expect(left.map(({ metadata }) => [metadata.name, metadata.deletionTimestamp !== undefined])).toEqual([
    ["w2", true],
    ["w3", false],
  ]);
}, 30_000);

test("deletions are compared in the commit, too: a renewal does not disturb them, another holder ends them", async () => {
  await setLease("a", 1, "w");
  const names = Array.from({ length: 30 }, (_, i) => `d${i}`);
  await Promise.all(names.map(createPod));
  let renewing = true;
  const renew = (async () => {
    for (let i = 0; renewing; i++)
      await server.client().request({
        method: "PATCH",
        path: `${leases}/w`,
        contentType: "application/merge-patch+json",
        body: { spec: { leaseDurationSeconds: 15 + (i % 5) } },
      });
  })();
  const results = await Promise.all(names.map((name) => call("DELETE", `${pods}/${name}`, "a")));
  renewing = false;
  await renew;
  expect(new Set(results)).toEqual(new Set(["done"]));
}, 30_000);
