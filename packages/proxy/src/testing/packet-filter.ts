import { execFileSync, spawnSync } from "node:child_process";

/** Why tests cannot use the kernel's packet filter here; undefined if they can. Needs root and the Debian package nftables. */
export function noPacketFilter(): string | undefined {
  if (process.platform !== "linux") return `nftables needs Linux, this is ${process.platform}`;
  const { error, status, stderr } = spawnSync("unshare", ["-n", "nft", "list", "ruleset"], { encoding: "utf8" });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

/**
 * Runs batches one after the other in a network namespace of their own, and returns the packet filter's rules after each, as
 * `nft` prints them. The namespace is gone afterwards.
 *
 * @param listing the command that prints the rules
 * @throws Error with the message of `nft` if it rejects a batch
 */
export function rulesAfterEach(batches: readonly string[], listing = "nft list ruleset"): readonly string[] {
  const separator = "# end of the rules";
  // The batches come in through the environment of no process and through no file: each is a here-document of its own.
  const script = batches
    .map((batch) => `nft -f - <<'END_OF_BATCH'\n${batch}\nEND_OF_BATCH\n${listing}\necho '${separator}'`)
    .join("\n");
  const output = execFileSync("unshare", ["-n", "sh", "-e"], { input: script, encoding: "utf8", stdio: "pipe" });
  return output.split(`${separator}\n`).slice(0, -1);
}
