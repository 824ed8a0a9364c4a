import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DaemonFacts, DaemonName, FileFact, FileRole, Flags, NodeFacts } from "./evidence.ts";

/** The permissions of what exists among the paths. Links are followed: what they lead to is what is read. */
function factsOf(paths: readonly (string | undefined)[]): readonly FileFact[] {
  const unique = new Set(paths.filter((path) => path !== undefined && path !== ""));
  return [...unique].flatMap((path = "") => {
    const found = statSync(path, { throwIfNoEntry: false });
    return found === undefined ? [] : [{ path, mode: found.mode & 0o7777, uid: found.uid }];
  });
}

/** Values of the flags whose name matches. */
const valuesOf = (all: readonly Flags[], name: RegExp): readonly string[] =>
  all.flatMap((flags) => [...flags].filter(([flag]) => name.test(flag)).map(([, value]) => value));

const KEY_FLAGS = /^(?:.*-(?:private-)?key-file|etcd-keyfile|orchlet-client-key|key-file)$/;
const CERTIFICATE_FLAGS =
  /^(?:.*-cert-file|cert-file|.*-ca-file|etcd-cafile|etcd-certfile|orchlet-client-certificate|orchlet-certificate-authority)$/;

/** Where service managers look for the agent's service. */
const SERVICE_FILES = ["/etc/systemd/system/orchlet.service", "/lib/systemd/system/orchlet.service"];

/** Files in a folder by their ending. */
function filesIn(folder: string | undefined, ending: RegExp): readonly string[] {
  if (folder === undefined) return [];
  try {
    return readdirSync(folder)
      .filter((name) => ending.test(name))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Finds the files of a cluster by the flags of its processes, the configuration of its agents, and its data folder. */
export function findFiles(given: {
  readonly daemons: Readonly<Partial<Record<DaemonName, DaemonFacts>>>;
  readonly nodes: readonly NodeFacts[];
  /** Flags of the network proxies of the nodes. */
  readonly proxies: readonly Flags[];
  /** File of --orchconfig. */
  readonly client: string;
  readonly pki: string | undefined;
  readonly cniFiles: readonly string[];
}): Readonly<Partial<Record<FileRole, readonly FileFact[]>>> {
  const { daemons, nodes, pki } = given;
  const flag = (daemon: DaemonName, ...names: readonly string[]) =>
    names.map((name) => daemons[daemon]?.flags.get(name));
  const all = Object.values(daemons).map(({ flags }) => flags);
  const agents = nodes.flatMap(({ flags }) => (flags === undefined ? [] : [flags]));
  const agentFolders = valuesOf(agents, /^cert-dir$/);
  const pems = agentFolders.flatMap((folder) => filesIn(folder, /\.pem$/));
  const clients = ["orchconfig", "authentication-orchconfig", "authorization-orchconfig"];
  const keys = [...valuesOf(all, KEY_FLAGS), ...filesIn(pki, /\.key$/), ...pems];
  const certificates = [...valuesOf(all, CERTIFICATE_FLAGS), ...filesIn(pki, /\.crt$/)];
  return {
    "apiserver-config": factsOf(
      flag(
        "orch-apiserver",
        "admission-control-config-file",
        "audit-policy-file",
        "encryption-provider-config",
        "tracing-config-file",
        "egress-selector-config-file",
        "authorization-policy-file",
      ),
    ),
    "manager-config": factsOf(flag("orch-controller-manager", "config")),
    "scheduler-config": factsOf(flag("orch-scheduler", "config")),
    "etcd-config": factsOf(flag("etcd", "config-file")),
    cni: factsOf(given.cniFiles),
    store: factsOf([...flag("etcd", "data-dir"), ...flag("orch-apiserver", "embedded-store-path")]),
    "admin-client": factsOf([given.client]),
    "manager-client": factsOf(flag("orch-controller-manager", ...clients)),
    "scheduler-client": factsOf(flag("orch-scheduler", ...clients)),
    "pki-folder": factsOf([pki, ...keys, ...certificates]),
    certificates: factsOf(certificates),
    keys: factsOf(keys),
    "proxy-client": factsOf(valuesOf(given.proxies, /^orchconfig$/)),
    "agent-service": factsOf(SERVICE_FILES),
    "agent-client": factsOf(valuesOf(agents, /^orchconfig$/)),
    "agent-authorities": factsOf(agents.length === 0 ? [] : nodes.map(clientAuthorities)),
    "agent-config": factsOf(valuesOf(agents, /^config$/)),
  };
}

/** The file of the authorities that clients of an agent are signed by. It is on this host only if the agent is. */
function clientAuthorities({ settings, flags }: NodeFacts): string | undefined {
  if (flags === undefined) return undefined;
  const { x509 } = (settings?.authentication ?? {}) as { readonly x509?: { readonly clientCAFile?: unknown } };
  return typeof x509?.clientCAFile === "string" ? x509.clientCAFile : undefined;
}
