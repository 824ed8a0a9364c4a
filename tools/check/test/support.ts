import type {
  DaemonFacts,
  DaemonName,
  Evidence,
  FileFact,
  FileRole,
  NodeFacts,
  Objects,
} from "../src/evidence/evidence.ts";
import { parseFlags } from "../src/evidence/process-flags.ts";

/** Evidence of a cluster in which nothing was found, with some of it replaced. Flags are texts: `--a=b --c`. */
export interface Given extends Partial<Omit<Evidence, "daemons" | "files" | "nodes" | "objects">> {
  readonly flags?: Readonly<Partial<Record<DaemonName, string>>>;
  readonly files?: Readonly<Partial<Record<FileRole, Partial<FileFact>>>>;
  /** Settings of the agent of the only node. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly certificate?: NodeFacts["certificate"];
  readonly agentFlags?: string;
  readonly proxy?: NodeFacts["proxy"];
  readonly objects?: Partial<Objects>;
}

const daemon = (flags: string): DaemonFacts => ({
  flags: parseFlags(["program", ...flags.split(" ").filter((word) => word !== "")]),
  uid: 0,
  source: "command line of process 1",
});

const noObjects: Objects = {
  namespaces: [],
  roles: [],
  bindings: [],
  serviceAccounts: [],
  pods: [],
  services: [],
  networkPolicies: [],
  tokenSecrets: [],
};

/** Makes evidence. */
export function evidenceOf(given: Given): Evidence {
  const { flags = {}, files = {}, settings, certificate, agentFlags, proxy, objects, ...rest } = given;
  const node: NodeFacts = {
    name: "n",
    settings,
    certificate,
    flags: agentFlags === undefined ? undefined : daemon(agentFlags).flags,
    proxy,
  };
  return {
    daemons: Object.fromEntries(Object.entries(flags).map(([name, text]) => [name, daemon(text)])),
    nodes: [node],
    files: Object.fromEntries(
      Object.entries(files).map(([role, file]) => [role, [{ path: `/${role}`, mode: 0o600, uid: 0, ...file }]]),
    ),
    anonymousStatus: undefined,
    profilingStatus: undefined,
    activePlugins: new Set(),
    clientOrganizations: undefined,
    auditPolicy: undefined,
    encryption: undefined,
    objects: { ...noObjects, ...objects },
    rejectedPods: new Map(),
    ...rest,
  };
}

/** A control, evidence that meets it, and evidence that violates it. */
export type Case = readonly [number: string, good: Given, bad: Given];
