import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { appliedConfigMap, manifests, NAME, PATCHES } from "./manifests.ts";
import { POD_GREETING, type StockClient, type Target } from "./operations.ts";

const run = promisify(execFile);
const TIMEOUT_MS = 60_000;
const RESOURCES = "configmaps,services,deployments.apps,cronjobs.batch,hpa,poddisruptionbudgets.policy";

const envOf = ({ clientConfig, dir }: Target) => ({
  PATH: process.env.PATH ?? "",
  KUBECONFIG: clientConfig,
  HOME: dir,
});

/**
 * Runs kubectl and returns its standard output.
 * @throws Error with the arguments and the standard error output
 */
async function call(path: string, target: Target, ...args: readonly string[]): Promise<string> {
  const all = ["-n", target.namespace, ...args];
  try {
    return (await run(path, all, { env: envOf(target), timeout: TIMEOUT_MS, maxBuffer: 16e6 })).stdout;
  } catch (error) {
    const { stderr = "" } = error as { readonly stderr?: string };
    throw new Error(`${args.join(" ")}: ${stderr.trim() || String(error)}`, { cause: error });
  }
}

/**
 * The version of a kubectl, such as `1.32.4`.
 * @throws Error when it does not start
 */
export async function kubectlVersion(path: string): Promise<string> {
  const { stdout } = await run(path, ["version", "--client", "-o", "json"], { timeout: TIMEOUT_MS });
  const { clientVersion } = JSON.parse(stdout) as { readonly clientVersion: { readonly gitVersion: string } };
  return clientVersion.gitVersion.replace(/^v/, "").replace(/[-+].*$/, "");
}

function file(target: Target, name: string, content: unknown): string {
  const path = join(target.dir, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
}

interface ConfigMap {
  readonly data: Readonly<Record<string, string>>;
}
interface Deployment {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly { env: readonly { name: string }[] }[] } };
  };
}

/**
 * Follows `get --watch` until it prints the text. `act` runs after the first output, when the watch has certainly
 * begun, so that its effect cannot be missed.
 */
async function watchFor(path: string, target: Target, wanted: string, act: () => Promise<unknown>): Promise<void> {
  const args = ["-n", target.namespace, "get", "configmaps", "--watch", "--output-watch-events", "-o", "json"];
  const child = spawn(path, args, { env: envOf(target), stdio: ["ignore", "pipe", "pipe"] });
  const timer = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
  let seen = "";
  let acted: Promise<unknown> | undefined;
  try {
    for await (const chunk of child.stdout) {
      seen += String(chunk).replaceAll(/\s+/g, "");
      acted ??= act();
      if (seen.includes(wanted)) return await acted.then(() => undefined);
    }
    throw new Error(`the watch ended without ${wanted}: ${seen.slice(-200)} ${String(child.stderr.read() ?? "")}`);
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}

/** The kubectl at that path, called as users call it. */
export function kubectlClient(path: string, name: string): StockClient {
  const patch = (target: Target, what: string, type: string, body: unknown) =>
    call(path, target, "patch", what, NAME, `--type=${type}`, "-p", JSON.stringify(body));
  const configMap = async (target: Target, called: string) =>
    JSON.parse(await call(path, target, "get", "configmap", called, "-o", "json")) as ConfigMap;

  return {
    name,
    operations: {
      async create(target) {
        const list = { apiVersion: "v1", kind: "List", items: manifests(target.namespace) };
        const created = await call(path, target, "create", "-f", file(target, "objects.json", list), "-o", "name");
        assert.equal(created.trim().split("\n").length, list.items.length, created);
      },
      async list(target) {
        const list = JSON.parse(await call(path, target, "get", RESOURCES, "-l", `app=${NAME}`, "-o", "json")) as {
          readonly items: readonly { readonly kind: string }[];
        };
        const kinds = manifests(target.namespace).map(({ kind }) => kind);
        assert.deepEqual(list.items.map(({ kind }) => kind).sort(), kinds.sort());
        assert.match(await call(path, target, "get", "deployments"), /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\n/);
        assert.match(await call(path, target, "describe", "deployment", NAME), /FIRST: +1\n/);
      },
      watch: (target) =>
        watchFor(path, target, '"type":"MODIFIED"', () =>
          call(path, target, "annotate", "configmap", NAME, "--overwrite", "seen=yes"),
        ),
      async "json patch"(target) {
        await patch(target, "configmap", "json", PATCHES.json);
        assert.deepEqual((await configMap(target, NAME)).data, { color: "green", shape: "round" });
      },
      async "merge patch"(target) {
        await patch(target, "configmap", "merge", PATCHES.merge);
        assert.deepEqual((await configMap(target, NAME)).data, { color: "green", size: "big" });
      },
      async "strategic patch"(target) {
        await patch(target, "deployment", "strategic", PATCHES.strategic);
        const found = JSON.parse(await call(path, target, "get", "deployment", NAME, "-o", "json")) as Deployment;
        const names = found.spec.template.spec.containers.flatMap(({ env }) => env.map((variable) => variable.name));
        assert.deepEqual(names.sort(), ["FIRST", "SECOND"]);
      },
      async apply(target) {
        const apply = async (data: Record<string, string>) => {
          const manifest = appliedConfigMap(target.namespace, "applied", data);
          return (await call(path, target, "apply", "-f", file(target, "applied.json", manifest))).trim();
        };
        assert.equal(await apply({ a: "1", b: "1" }), "configmap/applied created");
        assert.equal(await apply({ a: "2" }), "configmap/applied configured");
        assert.equal(await apply({ a: "2" }), "configmap/applied unchanged");
        assert.deepEqual((await configMap(target, "applied")).data, { a: "2" });
      },
      async "server-side apply"(target) {
        const apply = async (manager: string, data: Record<string, string>, ...more: readonly string[]) => {
          const path_ = file(target, "served.json", appliedConfigMap(target.namespace, "served", data));
          const flags = ["--server-side", `--field-manager=${manager}`, ...more];
          return (await call(path, target, "apply", ...flags, "-f", path_)).trim();
        };
        assert.equal(await apply("one", { a: "1", b: "1" }), "configmap/served serverside-applied");
        await apply("one", { a: "1" });
        await assert.rejects(apply("two", { a: "2" }), /conflict/i);
        await apply("two", { a: "2" }, "--force-conflicts");
        assert.deepEqual((await configMap(target, "served")).data, { a: "2" });
      },
      async delete(target) {
        await call(path, target, "delete", "-f", join(target.dir, "objects.json"), "--timeout=60s");
        await assert.rejects(call(path, target, "get", "deployment", NAME), /NotFound/);
      },
      async logs(target) {
        assert.match(await call(path, target, "logs", target.pod ?? ""), new RegExp(`^${POD_GREETING}`));
      },
      async exec(target) {
        const output = await call(path, target, "exec", target.pod ?? "", "--", "sh", "-c", "echo $((6 * 7))");
        assert.equal(output, "42\n");
        await assert.rejects(call(path, target, "exec", target.pod ?? "", "--", "sh", "-c", "exit 5"), /exit code 5/);
      },
    },
  };
}
