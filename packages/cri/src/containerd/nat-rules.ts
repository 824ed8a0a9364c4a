import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { masqueradeComment } from "./masquerade.ts";
import { findProgram } from "./probe-container-host.ts";

const run = promisify(execFile);

/** Chains of the portmap plugin that all networks of the host share. */
const sharedChains = ["CNI-HOSTPORT-DNAT", "CNI-HOSTPORT-MASQ", "CNI-HOSTPORT-SETMARK"] as const;
const dnatChain = sharedChains[0];

/**
 * The `iptables-restore` lines that delete what a network has left in the nat table: the rules and chains of its
 * sandboxes, which contain the name of the network, the rule that masquerades its pods, and the shared chains of the portmap plugin
 * if they are no longer used. Empty when there is nothing to delete. Pure.
 *
 * @param saved - output of `iptables-save -t nat`
 */
export function planNatCleanup(saved: string, network: string): readonly string[] {
  const lines = saved.split("\n");
  const chains = new Set(lines.filter((line) => line.startsWith(":")).map((line) => line.slice(1).split(" ")[0] ?? ""));
  const rules = lines.filter((line) => line.startsWith("-A "));
  const chainOf = (rule: string): string => rule.split(" ")[1] ?? "";
  const targetOf = (rule: string): string => / -[jg] (\S+)/.exec(rule)?.[1] ?? "";
  const isOurs = (rule: string): boolean => rule.includes(`name: \\"${network}\\" id:`);
  const ours = rules.filter((rule) => isOurs(rule) && /^CNI-/.test(targetOf(rule)));
  const ourChains = new Set(ours.map(targetOf).filter((chain) => chains.has(chain) && !isShared(chain)));
  // Clusters that earlier versions made have the second one.
  const comments: readonly string[] = [masqueradeComment(network), `pods-reach-${network}`];
  const ofNetwork = rules.filter((rule) => comments.includes(/ --comment "?([^" ]+)"? /.exec(rule)?.[1] ?? ""));
  const deleted = new Set([...ours.filter((rule) => !ourChains.has(chainOf(rule))), ...ofNetwork]);
  const portsLeft =
    [...chains].some((chain) => chain.startsWith("CNI-DN-") && !ourChains.has(chain)) ||
    rules.some((rule) => chainOf(rule) === dnatChain && !deleted.has(rule));
  const unused = portsLeft ? [] : sharedChains.filter((chain) => chains.has(chain));
  if (unused.length > 0)
    for (const rule of rules)
      if (isShared(targetOf(rule)) && !isShared(chainOf(rule)) && !ourChains.has(chainOf(rule))) deleted.add(rule);
  if (deleted.size === 0 && ourChains.size === 0 && unused.length === 0) return [];
  return [
    "*nat",
    ...[...deleted].map((rule) => rule.replace(/^-A /, "-D ")),
    ...[...ourChains].flatMap((chain) => [`-F ${chain}`, `-X ${chain}`]),
    // Not flushed: if another process adds a rule after `iptables-save`, deleting the chain fails, and with it the
    // whole transaction, which then changes nothing.
    ...unused.flatMap((chain) => (chain === dnatChain ? [`-X ${chain}`] : [`-F ${chain}`, `-X ${chain}`])),
    "COMMIT",
  ];
}

/**
 * Deletes what a network has left in the nat table of this host, in one transaction. Idempotent. Rules of other
 * networks stay.
 */
export async function removeNatRules(network: string): Promise<void> {
  const [save, restore] = [findProgram("iptables-save"), findProgram("iptables-restore")];
  if (save === undefined || restore === undefined) return;
  const { stdout } = await run(save, ["-t", "nat"], { maxBuffer: 64 * 1024 * 1024 });
  const plan = planNatCleanup(stdout, network);
  if (plan.length === 0) return;
  const child = spawn(restore, ["--noflush", "--wait", "5"], { stdio: ["pipe", "ignore", "ignore"] });
  child.stdin.on("error", () => undefined);
  child.stdin.end(`${plan.join("\n")}\n`);
  await once(child, "exit");
}

const isShared = (chain: string): boolean => (sharedChains as readonly string[]).includes(chain);
