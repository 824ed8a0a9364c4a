import type { Objects } from "./evidence.ts";

/** Namespaces of the system; `default` is the users'. */
const SYSTEM: ReadonlySet<string> = new Set(["orch-system", "orch-public", "orch-node-lease"]);

export const isSystemNamespace = (name: string | undefined): boolean => SYSTEM.has(name ?? "");

/** Names of the namespaces in which users run pods. */
export const userNamespaces = ({ namespaces }: Pick<Objects, "namespaces">): readonly string[] =>
  namespaces.map(({ metadata }) => metadata.name).filter((name) => !isSystemNamespace(name));
