/**
 * An API server that has services and their endpoints, and nothing else, for an orch-proxy. Arguments: the cluster address of one of the
 * services, the address and the port of its endpoint, the number of other services. Prints its URL.
 */
import { fileURLToPath } from "node:url";
import { startFakeApiServer } from "@orchernetes/client/testing";
import { endpointSlice } from "@orchernetes/proxy/testing";
import { service } from "@orchernetes/testkit";
import { serviceShapes } from "../services/service-shapes.ts";

/** Path of this program. */
export const serviceObjectsFile = fileURLToPath(import.meta.url);

async function serve(clusterIP: string, endpoint: string, port: number, others: number): Promise<void> {
  const api = await startFakeApiServer();
  const put = (name: string, ip: string, endpoints: readonly string[]): void => {
    const built = service(name).port(80, port).clusterIP(ip).build();
    api.put("/api/v1/services", { ...built, metadata: { ...built.metadata } });
    const slice = endpointSlice(built, endpoints);
    api.put("/apis/discovery.o8s.io/v1/endpointslices", { ...slice, metadata: { ...slice.metadata } });
  };
  put("measured", clusterIP, [endpoint]);
  for (const { index, clusterIP: ip, endpoints } of serviceShapes(others, 3)) put(`other-${index}`, ip, endpoints);
  process.stdout.write(`${api.url}\n`);
}

const [clusterIP, endpoint, port, others] = process.argv.slice(2);
if (process.argv[1] === serviceObjectsFile && clusterIP !== undefined && endpoint !== undefined)
  await serve(clusterIP, endpoint, Number(port), Number(others));
