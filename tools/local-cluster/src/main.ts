import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf } from "@orchernetes/kernel";
import type { Cluster } from "./cluster.ts";
import { down } from "./down.ts";
import { watchDaemons } from "./foreground.ts";
import { defaultDataDir, parseDown, parseUp } from "./options.ts";
import { up } from "./up.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const write = (text: string): void => void process.stdout.write(text);

function printHints(cluster: Cluster, alreadyUp: boolean): void {
  const { adminConfig } = cluster.files;
  const shown = relative(process.cwd(), adminConfig);
  const config = shown.startsWith("..") ? adminConfig : shown;
  const examples = relative(process.cwd(), `${root}docs/examples`) || ".";
  write(`\nThe cluster is ${alreadyUp ? "up already" : "up"}. Its client configuration: ${adminConfig}\n\nTry:\n`);
  const { dataDir } = cluster.files;
  const down = dataDir === defaultDataDir(root) ? "npm run down" : `npm run down -- --data-dir ${dataDir}`;
  write(
    `  export KUBECONFIG=${config}\n  kubectl get nodes\n  kubectl apply -f ${examples}/\n\nStop it with: ${down}\n`,
  );
}

async function runUp(argv: readonly string[]): Promise<void> {
  const options = await parseUp(argv, root);
  const { cluster, alreadyUp } = await up(options, write);
  printHints(cluster, alreadyUp);
  if (!options.foreground) return;
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort());
  let watched = cluster;
  while (!stop.signal.aborted)
    await watchDaemons(watched, {
      signal: stop.signal,
      write,
      restart: async () => {
        watched = (await up(options, write)).cluster;
      },
    });
  await down({ dataDir: options.dataDir, purge: false }, write);
}

const [command, ...argv] = process.argv.slice(2);
try {
  if (command === "up") await runUp(argv);
  else if (command === "down") await down(await parseDown(argv, root), write);
  else throw new Error(`unknown command "${command ?? ""}"; there are up and down`);
} catch (error) {
  process.stderr.write(`\n${messageOf(error)}\n`);
  process.exitCode = 1;
}
// The daemons go on running without this tool; their handles must not keep its event loop alive.
process.exit();
