import { createClient, loadClientConfig } from "@orchernetes/client";
import { activePlugins, readObjects, statusOf } from "./api.ts";
import { type DataFolder, readDataFolder } from "./data-folder.ts";
import { organizationsOf, readDocuments } from "./documents.ts";
import { rejectedPods } from "./dry-runs.ts";
import { DAEMONS, type DaemonFacts, type DaemonName, type Evidence } from "./evidence.ts";
import { findFiles } from "./files.ts";
import { readNodes } from "./nodes.ts";
import { processFacts } from "./process-flags.ts";
import { userNamespaces } from "./user-namespaces.ts";

/** Where evidence is collected from. */
export interface EvidenceSources {
  /** Client configuration file of an administrator. */
  readonly orchconfig: string;
  /** Data folder of a cluster of `npm run up` on this host. */
  readonly data?: string | undefined;
  /** Processes of this host, by the name of their program. They take precedence over those of the data folder. */
  readonly processes?: ReadonlyMap<string, number>;
}

/**
 * Collects the evidence. It changes nothing: requests that create pods are sent with dryRun.
 *
 * @throws ClientConfigError, Error for sources that cannot be read; TransportError or ApiError when the API server cannot be asked
 */
export async function collectEvidence({ orchconfig, data, processes }: EvidenceSources): Promise<Evidence> {
  const config = loadClientConfig(orchconfig);
  const folder = data === undefined ? undefined : readDataFolder(data);
  const findProcess = processFinder(folder, processes ?? new Map());
  const daemons = Object.fromEntries(
    DAEMONS.flatMap((name) => {
      const facts = findProcess(name);
      return facts === undefined ? [] : [[name, facts]];
    }),
  ) as Readonly<Partial<Record<DaemonName, DaemonFacts>>>;
  const tls = typeof config.tls === "function" ? config.tls() : (config.tls ?? {});
  const client = createClient({ ...config, userAgent: "orch-check" });
  // The anonymous client trusts the same authority, and has no credentials: it sees what anybody on the network sees.
  const { cert: _, key: __, ...trust } = tls;
  const anonymous = createClient({ server: config.server, tls: trust, userAgent: "orch-check" });
  try {
    const nodes = await readNodes(client, (program, node) => findProcess(`${program}-${node}`));
    const objects = await readObjects(client);
    const namespaces = userNamespaces(objects).slice(0, MAX_PROBED_NAMESPACES);
    return {
      daemons,
      nodes,
      files: findFiles({
        ...{ daemons, nodes, client: orchconfig },
        proxies: nodes.flatMap(({ name }) => findProcess(`orch-proxy-${name}`)?.flags ?? []),
        pki: folder?.pki,
        cniFiles: folder?.cniFiles ?? [],
      }),
      anonymousStatus: await statusOf(anonymous, "/version"),
      profilingStatus: await statusOf(client, "/debug/pprof/"),
      clientOrganizations: organizationsOf(tls.cert, orchconfig),
      ...(await readDocuments(daemons["orch-apiserver"])),
      objects,
      rejectedPods: await rejectedPods(client, namespaces),
      // Last: the requests above have made the plugins decide.
      activePlugins: await activePlugins(client),
    };
  } finally {
    client.close();
    anonymous.close();
  }
}

/** Maximum number of namespaces in which pods are tried, because each takes about twelve requests. */
const MAX_PROBED_NAMESPACES = 50;

/** Finds processes by name: those of --process first, then those of the data folder if they still are the ones that were started. */
function processFinder(
  folder: DataFolder | undefined,
  processes: ReadonlyMap<string, number>,
): (name: string) => DaemonFacts | undefined {
  return (name) => {
    const given = processes.get(name);
    if (given !== undefined) return processFacts(given);
    const known = folder?.processes.find((process) => process.name === name);
    return known && processFacts(known.pid, known.startTicks);
  };
}
