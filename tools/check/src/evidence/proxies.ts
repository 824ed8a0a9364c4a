import { loadConfigFile, orchProxyConfigurationSchema } from "@orchernetes/config";
import type { DaemonFacts, ProxyFacts } from "./evidence.ts";

/** Time limit of requests to a proxy, in milliseconds. */
const TIMEOUT_MS = 5000;

/** What the orch-proxy of a node says of itself at the address of its metrics; undefined if it cannot be asked. */
export async function readProxy(daemon: DaemonFacts | undefined): Promise<ProxyFacts | undefined> {
  if (daemon === undefined) return undefined;
  try {
    const server = `http://${await metricsAddress(daemon)}`;
    const [mode, configuration] = await Promise.all([ask(`${server}/proxyMode`), ask(`${server}/configz`)]);
    const { "orchproxy.config.o8s.io": settings } = JSON.parse(configuration) as {
      readonly "orchproxy.config.o8s.io"?: { readonly enableNetworkPolicy?: boolean };
    };
    const enforcesPolicies = mode === "nftables" && settings?.enableNetworkPolicy === true;
    return { enforcesPolicies, source: `${server}/configz` };
  } catch {
    return undefined;
  }
}

async function metricsAddress({ flags }: DaemonFacts): Promise<string> {
  const given = flags.get("metrics-bind-address");
  if (given !== undefined) return given;
  const file = flags.get("config");
  if (file === undefined) return "127.0.0.1:10249";
  return (await loadConfigFile(file, orchProxyConfigurationSchema)).metricsBindAddress;
}

async function ask(url: string): Promise<string> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok) throw new Error(`GET ${url}: status ${response.status}`);
  return response.text();
}
