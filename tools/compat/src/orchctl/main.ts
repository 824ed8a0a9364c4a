import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { messageOf } from "@orchernetes/kernel";
import { toOwnNames, toStockNames } from "./naming.ts";
import { startStockNamesProxy } from "./stock-names.ts";

function flagValue(args: readonly string[], flag: string): string {
  const value = args[args.indexOf(flag) + 1];
  if (!args.includes(flag) || value === undefined)
    throw new Error(`${flag} is needed, with its value as the next argument`);
  return value;
}

/**
 * Runs a stock kubectl under the names of this project: arguments, input, output and requests are translated.
 *
 *     node main.ts KUBECTL --server URL --token TOKEN [kubectl's arguments]
 *
 * @returns the exit code of kubectl
 */
async function run(kubectl: string, args: readonly string[]): Promise<number> {
  const url = flagValue(args, "--server");
  const proxy = await startStockNamesProxy(url, flagValue(args, "--token"));
  try {
    const child = spawn(
      kubectl,
      args.map((arg) => (arg === url ? proxy.url : toStockNames(arg))),
      { stdio: "pipe" },
    );
    const ended = new Promise<number>((resolve, reject) => {
      child.once("error", reject).once("close", (code) => resolve(code ?? 1));
    });
    const outputs = Promise.all([text(child.stdout), text(child.stderr)]);
    // A client that reads no input may have exited before the write, which is then an EPIPE.
    child.stdin.on("error", () => undefined);
    child.stdin.end(toStockNames(await text(process.stdin)));
    const [code, [out, errors]] = await Promise.all([ended, outputs]);
    process.stdout.write(toOwnNames(out));
    process.stderr.write(toOwnNames(errors));
    return code;
  } finally {
    proxy.close();
  }
}

const [kubectl, ...args] = process.argv.slice(2);
try {
  if (kubectl === undefined) throw new Error("the first argument is the path of kubectl");
  process.exitCode = await run(kubectl, args);
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
