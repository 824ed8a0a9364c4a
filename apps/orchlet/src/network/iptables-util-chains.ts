import { execFile } from "node:child_process";
import { type Clock, type Logger, messageOf } from "@orchernetes/kernel";

/** Interval at which missing chains and rules are restored. */
const repeatMs = 60_000;
/** How long a program may take; it waits for the lock of others itself, for 5 seconds. */
const commandMs = 10_000;

const hint = "ORCH-IPTABLES-HINT";
const firewall = "ORCH-FIREWALL";
const markDrop = "ORCH-MARK-DROP";
const markMasquerade = "ORCH-MARK-MASQ";
const postrouting = "ORCH-POSTROUTING";

/** Runs a program, and returns its exit code. @throws Error if it cannot be run, or takes too long */
export type RunCommand = (program: string, args: readonly string[]) => Promise<number>;

/** The settings of the chains. */
export interface UtilChainsOptions {
  /** Bit of the packet mark that requests source address translation (`iptablesMasqueradeBit`). */
  readonly masqueradeBit: number;
  /** Bit of the packet mark that requests dropping (`iptablesDropBit`). */
  readonly dropBit: number;
  /** Whether the chains that set and obey marks are those of other daemons (gate IPTablesOwnershipCleanup, KEP-3178). */
  readonly withoutMarks: boolean;
  readonly logger: Logger;
  /** @default the programs iptables and ip6tables */
  readonly run?: RunCommand;
}

type Table = "mangle" | "filter" | "nat";
/** A chain that must exist, or a rule that a chain must have: first in it with `insert`, last with `append`. */
type Step =
  | { readonly table: Table; readonly chain: string }
  | {
      readonly table: Table;
      readonly chain: string;
      readonly at: "insert" | "append";
      readonly rule: readonly string[];
    };

/**
 * Creates the iptables chains that other components rely on, and maintains them until the signal aborts. The failure of a program
 * is logged once for each message, and retried.
 */
export async function keepUtilChains(options: UtilChainsOptions, clock: Clock, signal: AbortSignal): Promise<void> {
  const { logger } = options;
  const failures = new Map<string, string>();
  while (!signal.aborted) {
    for (const program of ["iptables", "ip6tables"] as const) {
      try {
        await ensureUtilChains(program, options);
        failures.delete(program);
      } catch (error) {
        const message = messageOf(error);
        if (failures.get(program) !== message)
          logger.warn("Failed to initialize iptables rules; some functionality may be missing", { program, message });
        failures.set(program, message);
      }
    }
    await clock.sleep(repeatMs, signal).catch(() => undefined);
  }
}

/** Creates what is missing in one address family. @throws Error that names the command that failed */
export async function ensureUtilChains(program: "iptables" | "ip6tables", options: UtilChainsOptions): Promise<void> {
  const { run = runCommand } = options;
  const command = (args: readonly string[]) => run(program, ["-w", "5", ...args]);
  for (const step of stepsOf(program, options)) {
    const { table, chain } = step;
    if (!("rule" in step)) {
      // 1: there is one already.
      const code = await command(["-t", table, "-N", chain]);
      if (code > 1)
        throw new Error(`${program} failed with exit code ${code} while creating chain ${chain} in table ${table}`);
      continue;
    }
    if ((await command(["-t", table, "-C", chain, ...step.rule])) === 0) continue;
    const code = await command(["-t", table, step.at === "insert" ? "-I" : "-A", chain, ...step.rule]);
    if (code !== 0)
      throw new Error(
        `${program} failed with exit code ${code} while adding a rule to chain ${chain} in table ${table}`,
      );
  }
}

function stepsOf(program: "iptables" | "ip6tables", options: UtilChainsOptions): readonly Step[] {
  return [
    // Other programs recognize by this chain which iptables variant the host uses.
    { table: "mangle", chain: hint },
    ...(program === "iptables" ? localnetSteps : []),
    ...(options.withoutMarks ? [] : markSteps(options)),
  ];
}

const firewallSteps: readonly Step[] = [
  { table: "filter", chain: firewall },
  ...["OUTPUT", "INPUT"].map((chain) => ({ table: "filter", chain, at: "insert", rule: ["-j", firewall] }) as const),
];

/**
 * Node ports at localhost need `route_localnet`, with which others on the network could reach what listens at 127.0.0.0/8 of this host
 * (CVE-2020-8558).
 */
const localnetSteps: readonly Step[] = [
  ...firewallSteps,
  {
    ...{ table: "filter", chain: firewall, at: "append" },
    rule: [
      ...["-m", "comment", "--comment", "block incoming localnet connections"],
      ...["--dst", "127.0.0.0/8", "!", "--src", "127.0.0.0/8"],
      ...["-m", "conntrack", "!", "--ctstate", "RELATED,ESTABLISHED,DNAT", "-j", "DROP"],
    ],
  },
];

/** Chains that mark packets, and that drop and translate those with marks. */
function markSteps({ dropBit, masqueradeBit }: UtilChainsOptions): readonly Step[] {
  const drop = markOf(dropBit);
  const masquerade = markOf(masqueradeBit);
  const nat = (chain: string, ...rule: readonly string[]) => ({ table: "nat", chain, at: "append", rule }) as const;
  return [
    { table: "nat", chain: markDrop },
    nat(markDrop, "-j", "MARK", "--or-mark", drop),
    ...firewallSteps,
    {
      ...{ table: "filter", chain: firewall, at: "append" },
      rule: [
        ...["-m", "comment", "--comment", "orchernetes firewall for dropping marked packets"],
        ...["-m", "mark", "--mark", `${drop}/${drop}`, "-j", "DROP"],
      ],
    },
    { table: "nat", chain: markMasquerade },
    { table: "nat", chain: postrouting },
    nat(markMasquerade, "-j", "MARK", "--or-mark", masquerade),
    {
      ...{ table: "nat", chain: "POSTROUTING", at: "insert" },
      rule: ["-m", "comment", "--comment", "orchernetes postrouting rules", "-j", postrouting],
    },
    nat(postrouting, "-m", "mark", "!", "--mark", `${masquerade}/${masquerade}`, "-j", "RETURN"),
    // A packet that passes again must not be translated again.
    nat(postrouting, "-j", "MARK", "--xor-mark", masquerade),
    nat(
      postrouting,
      ...["-m", "comment", "--comment", "orchernetes service traffic requiring SNAT"],
      ...["-j", "MASQUERADE", "--random-fully"],
    ),
  ];
}

const markOf = (bit: number): string => `0x${(2 ** bit).toString(16).padStart(6, "0")}`;

const runCommand: RunCommand = (program, args) =>
  new Promise((resolve, reject) => {
    execFile(program, args, { timeout: commandMs }, (error) => {
      if (error === null) resolve(0);
      else if (typeof error.code === "number") resolve(error.code);
      else reject(new Error(`${program} could not be run: ${messageOf(error)}`));
    });
  });
