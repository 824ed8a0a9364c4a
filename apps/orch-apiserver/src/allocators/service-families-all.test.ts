import { core } from "@orchernetes/api";
import { ApiError } from "@orchernetes/apimachinery";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AllocatingCluster, type AllocatingServer, serviceOf } from "./testing.ts";

const cidrs = { "4": "10.0.0.0/16", "6": "fd00::/108" } as const;
type Family = keyof typeof cidrs;
/** Families in order: "46" is IPv4 first. */
const stacks = ["4", "6", "46", "64"] as const;
type Stack = (typeof stacks)[number];
const policies = [undefined, "SingleStack", "PreferDualStack", "RequireDualStack"] as const;
const addresses = { "4": "10.0.0.77", "6": "fd00::77" } as const;

const split = (families: string): readonly Family[] => [...families] as Family[];
const named = (families: string) => split(families).map((family) => `IPv${family}`);

const clusters: AllocatingCluster[] = [];
const servers = new Map<Stack, AllocatingServer>();
beforeAll(async () => {
  for (const stack of stacks) {
    const cluster = await AllocatingCluster.start();
    clusters.push(cluster);
    servers.set(stack, await cluster.addServer({ ranges: split(stack).map((family) => cidrs[family]) }));
  }
});
afterAll(() => Promise.all(clusters.map((cluster) => cluster.stop())));

function serverOf(stack: Stack): AllocatingServer {
  const server = servers.get(stack);
  if (server === undefined) throw new TypeError(`no server with ${stack}`);
  return server;
}

/** Policy, families and addresses that a service has: `SingleStack 4 [4]`. */
function shown({ ipFamilyPolicy, ipFamilies = [], clusterIPs = [] }: core.ServiceSpec): string {
  const families = ipFamilies.map((family) => family.slice(3)).join("");
  const held = clusterIPs.map((ip) => (ip === "None" ? ip : ip.includes(":") ? "6" : "4")).join("");
  return `${ipFamilyPolicy ?? "-"} ${families} [${held}]`;
}

async function outcomeOf(write: Promise<core.Service>): Promise<string> {
  try {
    return shown((await write).spec);
  } catch (error) {
    if (error instanceof ApiError && error.status.code === 422) return "refused";
    throw error;
  }
}

interface Asked {
  readonly policy: (typeof policies)[number];
  /** "" if the client names none. */
  readonly families: string;
  /** Families of the addresses that the client chose, or None. */
  readonly ips: string;
  readonly selector: boolean;
}

/** The rules of KEP-563 as sentences about what a client asks of a cluster. */
function wanted(stack: Stack, { policy, families, ips, selector }: Asked): string {
  const headless = ips === "None";
  const chosen = headless ? "" : ips;
  const dual = stack.length === 2;
  // Nobody knows what the endpoints of a headless service without selector are: it may have any family.
  const anything = headless && !selector;
  const kind = policy ?? (anything ? "RequireDualStack" : "SingleStack");
  const contradicts = split(chosen).some((family, i) => families[i] !== undefined && families[i] !== family);
  const several = families.length === 2 || chosen.length === 2;
  if (contradicts || (kind === "SingleStack" && several)) return "refused";
  const told = families + chosen.slice(families.length);
  const unknown = split(told).some((family) => !stack.includes(family));
  if (!anything && (unknown || (kind === "RequireDualStack" && !dual))) return "refused";
  const first = (told || stack).slice(0, Math.max(1, told.length));
  const completes = kind !== "SingleStack" && first.length === 1 && (anything || dual);
  const all = completes ? first + (first === "4" ? "6" : "4") : first;
  return `${kind} ${all} [${headless ? "None" : all}]`;
}

const everything: readonly Asked[] = policies.flatMap((policy) =>
  ["", "4", "6", "46", "64"].flatMap((families) =>
    ["", "None", "4", "6", "46", "64"].flatMap((ips) =>
      [true, false].map((selector) => ({ policy, families, ips, selector })),
    ),
  ),
);

const specOf = ({ policy, families, ips, selector }: Asked) => {
  const clusterIPs = ips === "None" ? ["None"] : split(ips).map((family) => addresses[family]);
  return {
    ...(policy && { ipFamilyPolicy: policy }),
    ...(families && { ipFamilies: named(families) }),
    ...(clusterIPs.length > 0 && { clusterIP: clusterIPs[0], clusterIPs }),
    ...(selector && { selector: { app: "a" } }),
  };
};

describe.each(stacks)("in a cluster with %s", (stack) => {
  test("every combination of policy, families, addresses and selector gets what the rules say", async () => {
    const services = serverOf(stack).registry.forDefinition(core.services);
    const got: string[] = [];
    const want: string[] = [];
    for (const asked of everything) {
      const text = JSON.stringify(asked);
      got.push(`${text}: ${await outcomeOf(services.create(serviceOf("s", specOf(asked)), { dryRun: true }))}`);
      want.push(`${text}: ${wanted(stack, asked)}`);
    }
    expect(got).toEqual(want);
    expect(new Set(want.map((line) => line.split("}: ")[1])).size).toBeGreaterThan(3);
  }, 60_000);

  test("an external name has nothing of it, and is refused with any of it", async () => {
    const services = serverOf(stack).registry.forDefinition(core.services);
    const external = { type: "ExternalName", externalName: "a.b" };
    const create = (spec: object) =>
      outcomeOf(services.create(serviceOf("s", { ...external, ...spec }), { dryRun: true }));
    expect(await create({})).toBe("-  []");
    for (const policy of policies.slice(1)) expect(await create({ ipFamilyPolicy: policy })).toBe("refused");
    for (const families of ["4", "6", "46"]) expect(await create({ ipFamilies: named(families) })).toBe("refused");
    for (const ip of ["None", addresses[4]]) expect(await create({ clusterIP: ip })).toBe("refused");
  });
});

const befores = [
  {},
  { ipFamilyPolicy: "PreferDualStack" },
  { ipFamilyPolicy: "RequireDualStack" },
  { ipFamilyPolicy: "PreferDualStack", ipFamilies: ["IPv6"] },
  { clusterIP: "None" },
  { clusterIP: "None", selector: { app: "a" } },
  { clusterIP: "None", selector: { app: "a" }, ipFamilyPolicy: "PreferDualStack" },
  { type: "ExternalName", externalName: "a.b" },
];
const changes = ["kept", "absent", "first", "other", "both"] as const;

/** One of the ways in which a client changes a list. */
function changed(list: readonly string[] | undefined, how: (typeof changes)[number], other: readonly string[]) {
  if (how === "absent" || (how === "kept" && list === undefined)) return undefined;
  if (how === "kept" || list === undefined) return list ?? other;
  if (how === "first") return list.slice(0, 1);
  return how === "other" ? other : [...list.slice(0, 1), ...other];
}

describe.each(["4", "46", "64"] as const)("changes in a cluster with %s", (stack) => {
  test("leave a service in order or are refused, and nothing leaks", async () => {
    const server = serverOf(stack);
    const services = server.registry.forDefinition(core.services);
    const used = () => server.allocator.ranges.map((range) => server.allocator.addressesIn(range).taken);
    const start = used();
    const seen = { stored: 0, refused: 0 };
    for (const [i, before] of befores.entries())
      for (const policy of policies)
        for (const families of changes)
          for (const type of ["ClusterIP", "ExternalName"]) {
            const ref = { namespace: "default", name: `c${i}` };
            const old = await services.create(serviceOf(ref.name, before)).catch(() => undefined);
            if (old === undefined) continue;
            const outcome = await outcomeOf(
              services.update(ref, (draft) => {
                const { ipFamilyPolicy: _, ipFamilies, externalName, ...rest } = old.spec;
                const list = changed(ipFamilies, families, ipFamilies?.[0] === "IPv4" ? ["IPv6"] : ["IPv4"]);
                const spec = {
                  ...rest,
                  type,
                  ...(type === "ExternalName" && { externalName: externalName ?? "a.b" }),
                  ...(policy && { ipFamilyPolicy: policy }),
                  ...(list && { ipFamilies: list }),
                };
                draft.spec = structuredClone(spec) as typeof draft.spec;
              }),
            );
            seen[outcome === "refused" ? "refused" : "stored"]++;
            const now = await services.get(ref);
            const what = JSON.stringify({ before, policy, families, type, outcome });
            expect(inOrder(now.spec, old.spec, stack), what).toEqual([]);
            const held = (family: string) =>
              (now.spec.clusterIPs ?? []).filter((ip) => ip !== "None" && ip.includes(":") === (family === "6")).length;
            expect(used(), what).toEqual(split(stack).map((family, k) => (start[k] ?? 0) + held(family)));
            await services.delete(ref);
            expect(used(), what).toEqual(start);
          }
    expect(seen.stored).toBeGreaterThan(60);
    expect(seen.refused).toBeGreaterThan(30);
  }, 60_000);
});

/** What is wrong with a stored service. */
function inOrder(spec: core.ServiceSpec, old: core.ServiceSpec, stack: Stack): readonly string[] {
  const { type, ipFamilyPolicy, ipFamilies = [], clusterIPs = [], clusterIP } = spec;
  const errors: string[] = [];
  const expectThat = (holds: boolean, what: string) => {
    if (!holds) errors.push(what);
  };
  if (type === "ExternalName") {
    expectThat(shown(spec) === "-  []", "an external name has nothing");
    return errors;
  }
  const headless = clusterIP === "None";
  const isAny = headless && spec.selector === undefined;
  expectThat(clusterIPs[0] === clusterIP, "the address is the first of the list");
  expectThat(headless || clusterIPs.length === ipFamilies.length, "an address for each family");
  expectThat(
    headless || clusterIPs.every((ip, i) => ip.includes(":") === (ipFamilies[i] === "IPv6")),
    "addresses are of their families",
  );
  expectThat(isAny || ipFamilies.every((family) => stack.includes(family.slice(3))), "families that the cluster has");
  expectThat(ipFamilyPolicy !== "SingleStack" || ipFamilies.length === 1, "one stack");
  expectThat(ipFamilyPolicy !== "RequireDualStack" || ipFamilies.length === 2, "two stacks");
  if (old.type !== "ExternalName") {
    expectThat(clusterIP === old.clusterIP, "the first address stays");
    expectThat(ipFamilies[0] === old.ipFamilies?.[0], "the first family stays");
  }
  return errors;
}
