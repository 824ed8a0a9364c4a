import { badRequest, type Draft } from "@orchernetes/apimachinery";
import { isTrue, type Query } from "@orchernetes/apiserver";

/**
 * What a client wants of a connection to a pod: its query as PodExecOptions, PodAttachOptions or PodPortForwardOptions, which admission
 * sees and may change.
 */
export interface ConnectOptions {
  readonly metadata: Record<string, never>;
  readonly stdin?: boolean | undefined;
  readonly stdout?: boolean | undefined;
  readonly stderr?: boolean | undefined;
  readonly tty?: boolean | undefined;
  readonly container?: string | undefined;
  readonly command?: readonly string[] | undefined;
  readonly ports?: readonly number[] | undefined;
}

/** Reads the options from a query. @throws ApiError BadRequest for ports that are no numbers */
export function connectOptions(query: Query): Draft<ConnectOptions> {
  const flags = ["stdin", "stdout", "stderr", "tty"].filter((name) => isTrue(query.get(name)));
  const container = query.get("container") ?? "";
  const command = query.getAll("command");
  // WebSocket clients name the ports up front, SPDY clients per stream.
  const ports = query.getAll("ports").flatMap((list) => list.split(","));
  return {
    metadata: {},
    ...Object.fromEntries(flags.map((name) => [name, true])),
    ...(container !== "" && { container }),
    ...(command.length > 0 && { command }),
    ...(ports.length > 0 && { ports: ports.map(portNumber) }),
  };
}

function portNumber(text: string): number {
  if (/^[0-9]{1,5}$/.test(text)) return Number(text);
  throw badRequest(`invalid port ${JSON.stringify(text)}; want a number such as 8080`);
}
