import { readText } from "./host-files.ts";

/** Counters of a network interface since it was made. */
export interface InterfaceUsage {
  readonly name: string;
  readonly rxBytes: number;
  readonly rxPackets: number;
  readonly rxErrors: number;
  readonly rxDropped: number;
  readonly txBytes: number;
  readonly txPackets: number;
  readonly txErrors: number;
  readonly txDropped: number;
}

/** Interfaces that carry no traffic of their own: loopback, and the host's ends of pods' links. */
const skipped = /^(lo|veth.*|docker.*|nerdctl.*)$/;

/** Hosts have tens of interfaces; a container with its own network can make any number. */
const maxInterfaces = 256;

/**
 * The interfaces of the network of a process.
 *
 * @param pid `1` for the host, or any process of a pod
 */
export function networkUsage(proc: string, pid: number): readonly InterfaceUsage[] {
  const lines = (readText(proc, String(pid), "net/dev") ?? "").split("\n", maxInterfaces + 2).slice(2);
  return lines.flatMap((line) => {
    const [, name, rest = ""] = /^\s*([^\s:]+):\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || skipped.test(name)) return [];
    const counts = rest.trim().split(/\s+/).map(Number);
    const at = (column: number): number => counts[column] ?? 0;
    return [
      {
        name,
        ...{ rxBytes: at(0), rxPackets: at(1), rxErrors: at(2), rxDropped: at(3) },
        ...{ txBytes: at(8), txPackets: at(9), txErrors: at(10), txDropped: at(11) },
      },
    ];
  });
}

/** The interface of the default route of a process's network; undefined if there is none, or only one of IPv6. */
export function defaultInterface(proc: string, pid: number): string | undefined {
  for (const line of (readText(proc, String(pid), "net/route") ?? "").split("\n").slice(1)) {
    const [name, destination, , , , , , mask] = line.split("\t");
    if (name !== undefined && destination === "00000000" && mask === "00000000") return name;
  }
  return undefined;
}
