import { connect } from "node:tls";
import type { Client } from "@orchernetes/client";
import type { DaemonFacts, NodeFacts, ServedCertificate } from "./evidence.ts";
import { readProxy } from "./proxies.ts";

/** The fields of a Node object from which the address of the agent is read. */
interface Node {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    readonly daemonEndpoints?: { readonly orchletEndpoint?: { readonly Port?: number } };
  };
}

/** Time limit of requests to an agent, in milliseconds. */
const TIMEOUT_MS = 5000;

/**
 * The configuration of each node's agent, through the API server's proxy, and the certificate that it serves.
 *
 * @param processOf a process of a node, `orchlet` or `orch-proxy`, if it is visible
 * @throws ApiError when the client may not list nodes
 */
export async function readNodes(
  client: Client,
  processOf: (program: string, node: string) => DaemonFacts | undefined,
): Promise<readonly NodeFacts[]> {
  const { items } = (await client.request({ method: "GET", path: "/api/v1/nodes" })) as {
    readonly items: readonly Node[];
  };
  return Promise.all(
    items.map(async (node) => {
      const { name } = node.metadata;
      return {
        name,
        settings: await settingsOf(client, name),
        certificate: await certificateOf(node),
        flags: processOf("orchlet", name)?.flags,
        proxy: await readProxy(processOf("orch-proxy", name)),
      };
    }),
  );
}

/** The agent's configuration. An agent that cannot be reached makes its controls unknown; it does not fail the others. */
async function settingsOf(client: Client, node: string): Promise<NodeFacts["settings"]> {
  try {
    const path = `/api/v1/nodes/${node}/proxy/configz`;
    const answer = (await client.request({ method: "GET", path, timeoutMs: TIMEOUT_MS })) as {
      readonly orchletconfig?: Readonly<Record<string, unknown>>;
    };
    return answer.orchletconfig;
  } catch {
    return undefined;
  }
}

/** Reads the certificate that an agent serves. It is not verified, because nothing is sent over the connection. */
function certificateOf({ status }: Node): Promise<ServedCertificate | undefined> {
  const host = status?.addresses?.find(({ type }) => type === "InternalIP")?.address;
  const port = status?.daemonEndpoints?.orchletEndpoint?.Port;
  if (host === undefined || port === undefined) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const socket = connect({ host, port, rejectUnauthorized: false, timeout: TIMEOUT_MS });
    const end = (found: ServedCertificate | undefined) => {
      socket.destroy();
      resolve(found);
    };
    socket.once("secureConnect", () => {
      const leaf = socket.getPeerX509Certificate();
      end(leaf && { selfSigned: leaf.checkIssued(leaf), names: leaf.subjectAltName ?? "" });
    });
    socket.once("error", () => end(undefined));
    socket.once("timeout", () => end(undefined));
  });
}
