import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { TestCluster } from "@orchernetes/testkit";

/** A port of this host that kubectl forwards to one of a pod. */
export interface PortForward {
  /** On 127.0.0.1. */
  readonly port: number;
  stop(): void;
}

/** What to forward to. */
export interface PortForwardOptions {
  readonly kubectl: string;
  readonly cluster: Pick<TestCluster, "clientConfig" | "dataDir">;
  readonly namespace: string;
  /** Such as `pod/web`. */
  readonly target: string;
  /** Of the pod. */
  readonly port: number;
}

/** Runs `kubectl port-forward` with a free port of this host. @throws Error with its output if it ends before it listens */
export async function startPortForward({ kubectl, cluster, ...options }: PortForwardOptions): Promise<PortForward> {
  const { namespace, target, port } = options;
  const child = spawn(
    kubectl,
    ["port-forward", `--namespace=${namespace}`, "--address=127.0.0.1", target, `:${port}`],
    {
      env: { PATH: process.env.PATH ?? "", KUBECONFIG: cluster.clientConfig, HOME: cluster.dataDir },
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  const errors: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => void errors.push(chunk));
  for await (const line of createInterface(child.stdout)) {
    const [, found] = /^Forwarding from 127\.0\.0\.1:(\d+) -> /.exec(line) ?? [];
    if (found === undefined) continue;
    // It prints a line for each connection.
    child.stdout.resume();
    return { port: Number(found), stop: () => void child.kill() };
  }
  if (child.exitCode === null) await once(child, "exit");
  throw new Error(`kubectl port-forward ended with code ${child.exitCode}: ${Buffer.concat(errors)}`);
}
