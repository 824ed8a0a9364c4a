import type { DialTarget } from "@orchernetes/kernel";

/** The port that gRPC assumes for addresses without one. */
const DEFAULT_PORT = 443;

/**
 * The address of a collector, from an endpoint as gRPC writes it: `localhost:4317`, `[fd00::1]:4317`,
 * `dns:///collector:4317`, or with a DNS server `dns://10.0.0.1/collector:4317`. The DNS server is ignored. Undefined
 * for unix sockets (`unix://`, `unix-abstract://`).
 */
export function collectorTarget(endpoint: string): DialTarget | undefined {
  const [, scheme = "", rest = ""] = /^(?:([a-z-]+):\/\/)?(.*)$/s.exec(endpoint) ?? [];
  if (scheme.startsWith("unix")) return undefined;
  const address = scheme === "" ? rest : rest.slice(rest.indexOf("/") + 1);
  const [, bracketed, plain = "", port = String(DEFAULT_PORT)] =
    /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(address) ?? [];
  return { host: bracketed ?? plain, port: Number(port) };
}
