import { existsSync, readdirSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { messageOf } from "@orchernetes/kernel";
import { unpackDebianPackage } from "./debian-packages.ts";
import { kubectlClient, kubectlVersion } from "./kubectl.ts";
import { nodeClient } from "./node-client.ts";
import type { StockClient } from "./operations.ts";
import { pythonClient } from "./python.ts";

/** A client, or the reason why it is missing. */
export type FoundClient = StockClient | { readonly name: string; readonly missing: string };

async function orMissing(name: string, find: () => Promise<StockClient>): Promise<FoundClient> {
  try {
    return await find();
  } catch (error) {
    return { name, missing: messageOf(error) };
  }
}

/**
 * Paths of the kubectls on this machine: `$KUBECTL` or the usual path. That one may be a dispatcher, which starts a
 * `kubectl.X.Y` in its folder according to the version of the server; then each of those is returned instead.
 */
function installedKubectls(env: Readonly<NodeJS.ProcessEnv> = process.env): readonly string[] {
  const path = [env.KUBECTL ?? "", "/usr/bin/kubectl", "/usr/local/bin/kubectl"].find(
    (candidate) => candidate !== "" && existsSync(candidate),
  );
  if (path === undefined) return [];
  const folder = dirname(realpathSync(path));
  const versions = readdirSync(folder).filter((name) => /^kubectl\.\d+\.\d+$/.test(name));
  return versions.length === 0 ? [path] : versions.sort().map((name) => join(folder, name));
}

/**
 * Finds all clients. Downloads those that the machine lacks from Debian into the folder.
 *
 * @param folder - an empty folder for downloads
 */
export async function findClients(folder: string): Promise<readonly FoundClient[]> {
  const debianKubectl = await orMissing("kubectl 1.20 (Debian's kubernetes-client)", async () => {
    const root = await unpackDebianPackage("kubernetes-client", join(folder, "kubernetes-client"));
    const path = join(root, "usr/bin/kubectl");
    return kubectlClient(path, `kubectl ${await kubectlVersion(path)} (Debian's kubernetes-client)`);
  });
  const paths = installedKubectls();
  const installed = await Promise.all(
    paths.map((path) =>
      orMissing(`kubectl (${path})`, async () => kubectlClient(path, `kubectl ${await kubectlVersion(path)}`)),
    ),
  );
  const none = { name: "a newer kubectl", missing: "none is installed; set $KUBECTL to the path of one" };
  const python = await orMissing("python3-kubernetes", async () => {
    const root = await unpackDebianPackage("python3-kubernetes", join(folder, "python3-kubernetes"));
    return pythonClient(join(root, "usr/lib/python3/dist-packages"));
  });
  return [debianKubectl, ...(installed.length === 0 ? [none] : installed), python, nodeClient];
}
