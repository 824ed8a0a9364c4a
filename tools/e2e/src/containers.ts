import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ClusterNode } from "@orchernetes/testkit";

const run = promisify(execFile);

/** Ids of the tasks that `ctr`, containerd's own client, shows as running. */
export async function tasksSeenByCtr(node: ClusterNode): Promise<readonly string[]> {
  const address = node.endpoint.replace(/^unix:\/\//, "");
  const env = { ...process.env, PATH: `${process.env.PATH ?? ""}:/usr/sbin:/sbin` };
  const { stdout } = await run("ctr", ["--address", address, "--namespace", "k8s.io", "tasks", "list"], { env });
  return stdout
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => state === "RUNNING")
    .map(([id = ""]) => id);
}
