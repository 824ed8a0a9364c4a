/** A program that the build turns into a bundle. */
export interface Program {
  readonly name: string;
  /** Path of its main module in the workspace. */
  readonly entry: string;
  /** Whether it is one of the daemons, which have flags, man pages and packages. */
  readonly isDaemon: boolean;
}

/** Names of the daemons. */
export const DAEMONS = [
  "orch-apiserver",
  "orch-scheduler",
  "orch-controller-manager",
  "cloud-controller-manager",
  "orch-proxy",
  "orchlet",
  "metrics-server",
] as const;

export type DaemonName = (typeof DAEMONS)[number];

/** Every program that is bundled. */
export const PROGRAMS: readonly Program[] = [
  ...DAEMONS.map((name) => ({ name, entry: `apps/${name}/src/main.mjs`, isDaemon: true })),
  { name: "process-runtime", entry: "packages/cri/src/process-runtime/main.ts", isDaemon: false },
  { name: "compose", entry: "tools/compose/src/main.ts", isDaemon: false },
  { name: "orch-etcd", entry: "tools/orch-etcd/src/main.ts", isDaemon: false },
];

/** @throws Error naming the programs that exist */
export function programNamed(name: string): Program {
  const found = PROGRAMS.find((program) => program.name === name);
  if (found === undefined)
    throw new Error(`unknown program "${name}"; there are ${PROGRAMS.map((program) => program.name).join(", ")}`);
  return found;
}
