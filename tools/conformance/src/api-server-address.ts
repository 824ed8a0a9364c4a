import { execFile } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { messageOf } from "@orchernetes/kernel";
import type { TestCluster } from "@orchernetes/testkit";

const run = promisify(execFile);

/** An address of this host that pods reach the API server by. */
export interface ApiServerAddress {
  /** Stops passing connections on, and takes the address away. */
  close(): Promise<void>;
}

/**
 * Gives this host the address of the service `default/orchernetes`, and passes connections to its port on to the API server. Programs in
 * pods find the API server by that address. Without a service network it is the one service address that a host can answer itself: a
 * packet that a pod sends there goes to its gateway, which is this host.
 *
 * @returns undefined, with a line to `print` that says why, where the address cannot be set, as without the rights of root
 */
export async function serveApiServerAddress(
  cluster: Pick<TestCluster, "url" | "client">,
  print: (line: string) => void,
): Promise<ApiServerAddress | undefined> {
  const path = "/api/v1/namespaces/default/services/orchernetes";
  const service = (await cluster.client().request({ method: "GET", path })) as { readonly spec: ServiceSpec };
  const { clusterIP, ports } = service.spec;
  const prefix = `${clusterIP}/${clusterIP.includes(":") ? 128 : 32}`;
  const server = passOnTo(Number(new URL(cluster.url).port));
  try {
    // `replace` also succeeds where a run that was killed left the address behind.
    await run("ip", ["address", "replace", prefix, "dev", "lo"]);
    server.listen(ports[0]?.port ?? 443, clusterIP);
    await once(server, "listening");
  } catch (error) {
    print(`pods will not reach the API server by its service's address ${clusterIP}: ${messageOf(error)}`);
    return undefined;
  }
  return {
    async close() {
      server.close();
      await run("ip", ["address", "delete", prefix, "dev", "lo"]);
    },
  };
}

interface ServiceSpec {
  readonly clusterIP: string;
  readonly ports: readonly { readonly port: number }[];
}

function passOnTo(port: number): Server {
  return createServer((near) => {
    const far = connect(port, "127.0.0.1");
    // Either end may break a connection at any time; the other one then learns of it.
    pipeline(near, far, near).catch(() => undefined);
  });
}
