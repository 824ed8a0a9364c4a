import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { FakeClock, silentLogger } from "@orchernetes/kernel";
import { afterEach, describe, expect, test } from "vitest";
import { ensureUtilChains, keepUtilChains, type RunCommand, type UtilChainsOptions } from "./iptables-util-chains.ts";

const options: UtilChainsOptions = { masqueradeBit: 14, dropBit: 15, withoutMarks: true, logger: silentLogger };

/** A packet filter that remembers chains and rules by table. */
function fakeFilter(codeOf: (args: readonly string[]) => number | undefined = () => undefined) {
  const have = new Set<string>();
  const run: RunCommand = async (program, args) => {
    const [, , , table = "", verb = "", chain = "", ...rule] = args;
    const code = codeOf(args);
    if (code !== undefined) return code;
    const key = [program, table, chain, ...rule].join(" ");
    if (verb === "-C") return have.has(key) ? 0 : 1;
    if (verb === "-N" && have.has(key)) return 1;
    have.add(key);
    return 0;
  };
  return { have, run };
}

// shows: makeIPTablesUtilChains
test("the hint chain and the chain that protects localhost are created once", async () => {
  const { have, run } = fakeFilter();
  await ensureUtilChains("iptables", { ...options, run });
  await ensureUtilChains("ip6tables", { ...options, run });
  const made = [...have];
  expect(made).toEqual([
    "iptables mangle ORCH-IPTABLES-HINT",
    "iptables filter ORCH-FIREWALL",
    "iptables filter OUTPUT -j ORCH-FIREWALL",
    "iptables filter INPUT -j ORCH-FIREWALL",
    expect.stringMatching(/^iptables filter ORCH-FIREWALL .*--dst 127.0.0.0\/8 ! --src 127.0.0.0\/8 .* -j DROP$/),
    "ip6tables mangle ORCH-IPTABLES-HINT",
  ]);
  await ensureUtilChains("iptables", { ...options, run });
  expect([...have]).toEqual(made);
});

// shows: iptablesMasqueradeBit, iptablesDropBit
test("without gate IPTablesOwnershipCleanup, marks are those of iptablesMasqueradeBit and iptablesDropBit", async () => {
  const { have, run } = fakeFilter();
  await ensureUtilChains("ip6tables", { ...options, withoutMarks: false, masqueradeBit: 10, dropBit: 31, run });
  expect(have).toContain("ip6tables nat ORCH-MARK-MASQ -j MARK --or-mark 0x000400");
  expect(have).toContain("ip6tables nat ORCH-MARK-DROP -j MARK --or-mark 0x80000000");
  expect(have).toContain("ip6tables nat ORCH-POSTROUTING -m mark ! --mark 0x000400/0x000400 -j RETURN");
});

test("a command that fails is reported by name, retried each minute, and logged once", async () => {
  const warnings: unknown[] = [];
  const logger = { ...silentLogger, warn: (_: string, values: object = {}) => void warnings.push(values) };
  let isBroken = true;
  const { have, run } = fakeFilter((args) => (isBroken && args.includes("-N") ? 4 : undefined));
  const clock = new FakeClock();
  const end = new AbortController();
  const done = keepUtilChains({ ...options, run, logger }, clock, end.signal);
  await clock.advanceAsync(60_000);
  await clock.advanceAsync(60_000);
  const message = "failed with exit code 4 while creating chain ORCH-IPTABLES-HINT in table mangle";
  expect(warnings).toEqual(["iptables", "ip6tables"].map((program) => ({ program, message: `${program} ${message}` })));
  isBroken = false;
  await clock.advanceAsync(60_000);
  expect(have.size).toBe(6);
  end.abort();
  await done;
});

test("a program that is missing is an error", async () => {
  const path = process.env.PATH;
  process.env.PATH = "/nowhere";
  try {
    await expect(ensureUtilChains("iptables", options)).rejects.toThrow(/iptables could not be run: .*ENOENT/);
  } finally {
    process.env.PATH = path;
  }
});

const isPossible = (() => {
  try {
    execFileSync("unshare", ["-n", "iptables", "-S"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

describe.skipIf(!isPossible)("in a network namespace of its own", () => {
  let holder: ChildProcess | undefined;
  afterEach(() => void holder?.kill("SIGKILL"));

  test("the kernel accepts all chains and rules", async () => {
    holder = spawn("unshare", ["-n", "sleep", "60"], { stdio: "ignore" });
    const within = ["-t", String(holder.pid), "-n"];
    const own = () => execFileSync("readlink", ["/proc/self/ns/net"]).toString();
    await expect.poll(() => execFileSync("readlink", [`/proc/${holder?.pid}/ns/net`]).toString() !== own()).toBe(true);
    const failed: string[] = [];
    const run: RunCommand = async (program, args) => {
      try {
        execFileSync("nsenter", [...within, program, ...args], { stdio: "pipe" });
        return 0;
      } catch (error) {
        if (!args.includes("-C")) failed.push(`${args.join(" ")}: ${String(error)}`);
        return (error as { readonly status: number }).status;
      }
    };
    await ensureUtilChains("iptables", { ...options, withoutMarks: false, run });
    expect(failed.filter((one) => !one.includes("-N ORCH-FIREWALL"))).toEqual([]);
    const rules = (table: string) => execFileSync("nsenter", [...within, "iptables", "-t", table, "-S"]).toString();
    expect(rules("mangle")).toContain("-N ORCH-IPTABLES-HINT");
    expect(rules("filter")).toContain("-A INPUT -j ORCH-FIREWALL");
    const before = rules("nat");
    expect(before).toMatch(/-A ORCH-POSTROUTING .*-j MASQUERADE --random-fully/);
    await ensureUtilChains("iptables", { ...options, withoutMarks: false, run });
    expect(rules("nat")).toBe(before);
  });
});
