import { optionErrors } from "../topology-manager/policy-options.ts";

const options = {
  "align-by-socket": "Alpha",
  "distribute-cpus-across-numa": "Alpha",
  "full-pcpus-only": "Beta",
} as const;

/** Options of the static policy. */
export interface CpuOptions {
  /** NUMA nodes of the same socket count as close to each other. */
  readonly alignBySocket: boolean;
  /** A container that needs several NUMA nodes gets the same number of CPUs from each. */
  readonly distributeAcrossNuma: boolean;
  /** Containers never share a core. */
  readonly fullCoresOnly: boolean;
}

/** Errors in `cpuManagerPolicyOptions`; each begins with `field`. */
export function cpuOptionErrors(
  settings: {
    readonly cpuManagerPolicy: string;
    readonly cpuManagerPolicyOptions: Readonly<Record<string, string>>;
    readonly topologyManagerPolicy: string;
  },
  enabled: (gate: string) => boolean,
): readonly string[] {
  const { cpuManagerPolicy, cpuManagerPolicyOptions: given, topologyManagerPolicy } = settings;
  const errors = optionErrors({
    ...{ given, options, enabled },
    manager: "CPU Manager",
    field: "cpuManagerPolicyOptions",
    gates: {
      all: "CPUManagerPolicyOptions",
      Alpha: "CPUManagerPolicyAlphaOptions",
      Beta: "CPUManagerPolicyBetaOptions",
    },
  });
  if (errors.length > 0) return errors;
  if (cpuManagerPolicy === "none" && Object.keys(given).length > 0)
    return [
      `field cpuManagerPolicyOptions: None policy: received unsupported options ${Object.keys(given).join(", ")}; want cpuManagerPolicy static`,
    ];
  if (readCpuOptions(given).alignBySocket && topologyManagerPolicy === "single-numa-node")
    return [
      "field cpuManagerPolicyOptions.align-by-socket: Topology manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option; want false",
    ];
  return [];
}

/** The options as `cpuManagerPolicyOptions` has them. */
export function readCpuOptions(given: Readonly<Record<string, string>>): CpuOptions {
  const isOn = (name: keyof typeof options) => given[name] === "true";
  return {
    alignBySocket: isOn("align-by-socket"),
    distributeAcrossNuma: isOn("distribute-cpus-across-numa"),
    fullCoresOnly: isOn("full-pcpus-only"),
  };
}
