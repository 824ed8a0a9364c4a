import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { messageOf } from "@orchernetes/kernel";
import { guardAgainstOrphans, type TestCluster } from "@orchernetes/testkit";

const run = promisify(execFile);

/** An address of this host at which pods reach the API server. */
export interface ApiServerAddress {
  /** Stops forwarding connections and removes the address. */
  close(): Promise<void>;
}

/**
 * Gives this host the address of the service `default/orchernetes` and forwards connections on its port to the API
 * server. Programs in pods find the API server by that address. Without a service network, it is the only service
 * address that a host can serve itself: a packet from a pod to it goes to the gateway of the pod, which is this host.
 *
 * @returns undefined, after a line to `print` with the reason, when the address cannot be set, as without root
 *   privileges
 */
export async function serveApiServerAddress(
  cluster: Pick<TestCluster, "url" | "client">,
  print: (line: string) => void,
): Promise<ApiServerAddress | undefined> {
  const path = "/api/v1/namespaces/default/services/orchernetes";
  const service = (await cluster.client().request({ method: "GET", path })) as { readonly spec: ServiceSpec };
  const { clusterIP, ports } = service.spec;
  const prefix = `${clusterIP}/${clusterIP.includes(":") ? 128 : 32}`;
  try {
    await run("ip", ["address", "add", prefix, "dev", "lo"]);
  } catch (error) {
    print(`pods cannot reach the API server at the address of its service, ${clusterIP}: ${messageOf(error)}`);
    return undefined;
  }
  const remove = ["ip", "address", "delete", prefix, "dev", "lo"] as const;
  const guard = guardAgainstOrphans(remove);
  const server = forwardTo(Number(new URL(cluster.url).port));
  const close = async () => {
    server.close();
    const [file, ...args] = remove;
    await run(file, args);
    guard.dismiss();
  };
  try {
    server.listen(ports[0]?.port ?? 443, clusterIP);
    await once(server, "listening");
  } catch (error) {
    await close();
    throw error;
  }
  return { close };
}

interface ServiceSpec {
  readonly clusterIP: string;
  readonly ports: readonly { readonly port: number }[];
}

/** A server that forwards each connection to a port of this host. */
function forwardTo(port: number): Server {
  return createServer((near) => {
    const far = connect(port, "127.0.0.1");
    // Either end may close or fail at any time; pipeline then closes the other one.
    pipeline(near, far, near).catch(() => undefined);
  });
}
