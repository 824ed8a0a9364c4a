/**
 * The process runtime as a separate program, so that containers outlive the node agent.
 *
 * `node main.ts --socket PATH --root DIR [--pod-subnet CIDR] [--image NAME]…`
 *
 * Prints one line when it serves. SIGTERM and SIGINT end it; containers keep running.
 *
 * @module
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { type Logger, type LogValues, messageOf } from "@orchernetes/kernel";
import { createProcessRuntime } from "./create-process-runtime.ts";

/** A logger that writes lines with time, level, message and values. It drops verbose messages. */
function lineLogger(common: LogValues): Logger {
  const write = (level: string, message: string, values?: LogValues): void => {
    const details = Object.entries({ ...common, ...values }).map(
      ([key, value]) => ` ${key}=${JSON.stringify(String(value))}`,
    );
    process.stderr.write(`${new Date().toISOString()} ${level} ${message}${details.join("")}\n`);
  };
  return {
    info: (message, values) => write("INFO", message, values),
    warn: (message, values) => write("WARN", message, values),
    error: (error, message, values) =>
      write("ERROR", message, error === undefined ? values : { err: error, ...values }),
    v: () => undefined,
    child: (values) => lineLogger({ ...common, ...values }),
  };
}

// A full disk under the log must not end the runtime of running containers.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOSPC" && error.code !== "EDQUOT") throw error;
  });

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      socket: { type: "string" },
      root: { type: "string" },
      "pod-subnet": { type: "string" },
      image: { type: "string", multiple: true },
    },
  });
  if (values.socket === undefined)
    throw new Error("--socket is missing: must be the path of the unix socket to serve on");
  if (values.root === undefined) throw new Error("--root is missing: must be a folder for containers and their state");
  const stop = new AbortController();
  const runtime = await createProcessRuntime({
    socketPath: resolve(values.socket),
    rootDir: resolve(values.root),
    images: values.image ?? [],
    podSubnet: values["pod-subnet"],
    logger: lineLogger({}),
    signal: stop.signal,
  });
  process.stdout.write(`serving CRI v1 on ${runtime.endpoint}\n`);
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.once(name, () => {
      stop.abort();
      void runtime.close().then(() => process.exit(0));
    });
  }
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
});
