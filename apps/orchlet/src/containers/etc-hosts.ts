import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { core } from "@orchernetes/api";
import { writeRegularFile } from "@orchernetes/host";
import { fqdnOf, hostnameOf } from "./sandbox-config.ts";

/** Entries of every pod's hosts file that is not in the host's network. */
const base = [
  "# Orchernetes-managed hosts file.",
  "127.0.0.1\tlocalhost",
  "::1\tlocalhost ip6-localhost ip6-loopback",
  "fe00::0\tip6-localnet",
  "fe00::0\tip6-mcastprefix",
  "fe00::1\tip6-allnodes",
  "fe00::2\tip6-allrouters",
];

/**
 * Content of a pod's hosts file: the pod's own names and its `hostAliases`. A pod in the host's network gets the host's
 * entries instead of its own names.
 */
function hostsText(
  pod: core.Pod,
  options: { readonly podIPs: readonly string[]; readonly clusterDomain: string; readonly hostFile: string },
): string {
  const lines = pod.spec.hostNetwork
    ? ["# Orchernetes-managed hosts file (host network).", options.hostFile.trimEnd()]
    : [...base];
  if (!pod.spec.hostNetwork) {
    const names = [fqdnOf(pod, options.clusterDomain), hostnameOf(pod, options.clusterDomain)].filter(
      (name) => name !== undefined,
    );
    for (const ip of options.podIPs) lines.push(`${ip}\t${[...new Set(names)].join("\t")}`);
  }
  const aliases = (pod.spec.hostAliases ?? []).filter(({ ip }) => ip);
  if (aliases.length > 0) lines.push("", "# Entries added by HostAliases.");
  for (const { ip, hostnames = [] } of aliases) lines.push(`${ip}\t${hostnames.join("\t")}`);
  return `${lines.join("\n")}\n`;
}

/**
 * Writes a pod's hosts file in place: its containers mount the file itself and would not see a replaced one.
 *
 * @returns the path
 * @throws NotARegularFile if a container has replaced the file, for example by a link to a file of the host
 */
export async function writeHosts(
  file: string,
  pod: core.Pod,
  options: { readonly podIPs: readonly string[]; readonly clusterDomain: string; readonly folderMode?: number },
): Promise<string> {
  const hostFile = pod.spec.hostNetwork ? await readFile("/etc/hosts", "utf8").catch(() => "") : "";
  await mkdir(dirname(file), { recursive: true, mode: options.folderMode ?? 0o750 });
  await writeRegularFile(file, hostsText(pod, { ...options, hostFile }), 0o644);
  return file;
}
