import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { appliedConfigMap, manifests, NAME, PATCHES } from "./manifests.ts";
import { OPERATIONS, type Operation, POD_GREETING, type StockClient, type Target } from "./operations.ts";

/** The Python of Debian, for which the Debian packages are built. */
const PYTHON = "/usr/bin/python3";
const SCRIPT = fileURLToPath(new URL("drive.py", import.meta.url));
const TIMEOUT_MS = 120_000;
const REASON_LENGTH = 500;

async function python(args: readonly string[], path: string, input: string): Promise<string> {
  const child = spawn(PYTHON, [...args], {
    env: { PATH: process.env.PATH ?? "", PYTHONPATH: path },
    timeout: TIMEOUT_MS,
  });
  const [output, errors, exit] = [text(child.stdout), text(child.stderr), once(child, "close")];
  child.stdin.on("error", () => undefined);
  child.stdin.end(input);
  const [code] = await exit;
  if (code === 0) return (await output).trim();
  throw new Error((await errors).trim().slice(-REASON_LENGTH) || `${PYTHON} ended with exit code ${code}`);
}

/**
 * The Python package `kubernetes`.
 *
 * @param path - folder with the package and its dependencies; empty: where Python looks by default
 * @throws Error when it is not there
 */
export async function pythonClient(path: string): Promise<StockClient> {
  const version = await python(["-c", "import kubernetes; print(kubernetes.__version__)"], path, "");
  const act = (operation: Operation) => async (target: Target) => {
    const { clientConfig, namespace, pod } = target;
    const task = {
      operation,
      config: clientConfig,
      namespace,
      name: NAME,
      manifests: manifests(namespace),
      patches: PATCHES,
      applied: appliedConfigMap(namespace, "served", {}),
      pod,
      greeting: POD_GREETING,
    };
    await python([SCRIPT], path, JSON.stringify(task));
  };
  const operations = OPERATIONS.filter((operation) => operation !== "apply").map(
    (operation) => [operation, act(operation)] as const,
  );
  return { name: `python3-kubernetes ${version}`, operations: Object.fromEntries(operations) };
}
