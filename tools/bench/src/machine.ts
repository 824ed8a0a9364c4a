import { execFileSync } from "node:child_process";
import { cpus, release, totalmem, type } from "node:os";

/** The properties of a machine on which figures depend. */
export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly memoryGb: number;
  readonly kernel: string;
  readonly node: string;
  /** The version of etcd; undefined if it is not installed. */
  readonly etcd: string | undefined;
}

/** Describes this machine. */
export function thisMachine(): Machine {
  const processors = cpus();
  return {
    cores: processors.length,
    cpu: processors[0]?.model.trim() ?? "unknown",
    memoryGb: Math.round(totalmem() / 1e9),
    kernel: `${type()} ${release()}`,
    node: process.version,
    etcd: etcdVersion(),
  };
}

/** Renders the machine as one line. */
export function describeMachine({ cores, cpu, memoryGb, kernel, node, etcd }: Machine): string {
  return `${cores} cores (${cpu}), ${memoryGb} GB memory, ${kernel}, Node ${node}, ${etcd === undefined ? "no etcd" : `etcd ${etcd}`}`;
}

function etcdVersion(): string | undefined {
  try {
    return /etcd Version: (\S+)/.exec(execFileSync("etcd", ["--version"], { encoding: "utf8" }))?.[1];
  } catch {
    return undefined;
  }
}
