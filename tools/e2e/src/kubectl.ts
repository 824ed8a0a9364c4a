import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { promisify } from "node:util";
import type { TestCluster } from "@orchernetes/testkit";

const run = promisify(execFile);

/** Path of kubectl: `$KUBECTL`, or where packages put it; undefined when there is none. */
export function findKubectl(env: Readonly<NodeJS.ProcessEnv> = process.env): string | undefined {
  return [env.KUBECTL ?? "", "/usr/bin/kubectl", "/usr/local/bin/kubectl"].find(
    (path) => path !== "" && existsSync(path),
  );
}

/** Runs kubectl as the administrator of a cluster. */
export interface Kubectl {
  /** Standard output. @throws Error with the command and what it wrote to standard error when it fails */
  (...args: readonly string[]): Promise<string>;
  /** Standard output, parsed. */
  json<T>(...args: readonly string[]): Promise<T>;
}

/** Of a cluster, what kubectl needs: the administrator's client configuration, and a folder for its caches. */
type Target = Pick<TestCluster, "clientConfig" | "dataDir">;

/**
 * A kubectl for one cluster. Its caches lie in the cluster's folder.
 *
 * @param target asked at every call: the cluster may start later
 * @param namespace the one for calls that name none. Default: that of the client configuration
 */
export function kubectlFor(path: string, target: () => Target, namespace?: string): Kubectl {
  const options = namespace === undefined ? [] : [`--namespace=${namespace}`];
  const call = async (...args: readonly string[]): Promise<string> => {
    const { clientConfig, dataDir } = target();
    const env = { PATH: process.env.PATH ?? "", KUBECONFIG: clientConfig, HOME: dataDir };
    try {
      return (await run(path, [...options, ...args], { env, timeout: 250_000, maxBuffer: 16e6 })).stdout;
    } catch (error) {
      const { stderr = "", stdout = "" } = error as { readonly stderr?: string; readonly stdout?: string };
      throw new Error(`kubectl ${args.join(" ")} failed: ${stderr.trim() || stdout.trim() || String(error)}`, {
        cause: error,
      });
    }
  };
  return Object.assign(call, {
    json: async <T>(...args: readonly string[]) => JSON.parse(await call(...args, "-o", "json")) as T,
  });
}
