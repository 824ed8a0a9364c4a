import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import type { LogQueryOptions } from "./log-query.ts";

/** The log of the host's services. */
export interface Journal {
  /** Whether a service writes to the journal. False if the host has no journal. */
  has(service: string, signal: AbortSignal): Promise<boolean>;
  /** Passes on what is shown for these services. Resolves at its end, also if the program fails. */
  copy(
    services: readonly string[],
    options: LogQueryOptions,
    write: (chunk: Buffer) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>;
}

/** Units of a host are some hundreds. */
const maxUnitsBytes = 1024 * 1024;

/**
 * The journal of systemd, through its program, which is called without a shell. The program ends when the signal aborts.
 * @param program @default "journalctl"
 */
export function createJournal(program = "journalctl"): Journal {
  return {
    async has(service, signal) {
      let units = "";
      try {
        await run(program, ["--field", "_SYSTEMD_UNIT"], signal, async (chunk) => {
          if (units.length < maxUnitsBytes) units += chunk.toString("latin1");
        });
      } catch (error) {
        if (signal.aborted) throw error;
        return false;
      }
      return units.split("\n").includes(`${service}.service`);
    },
    copy: (services, options, write, signal) => run(program, journalArguments(services, options), signal, write),
  };
}

/** The arguments that select the entries of services. Each is one word with `=`, so that no value is taken for an option. Pure. */
export function journalArguments(
  services: readonly string[],
  { sinceTime, untilTime, tailLines, boot, pattern }: LogQueryOptions,
): readonly string[] {
  return [
    "--utc",
    "--no-pager",
    "--output=short-precise",
    ...(sinceTime === undefined ? [] : [`--since=${timeText(sinceTime)}`]),
    ...(untilTime === undefined ? [] : [`--until=${timeText(untilTime)}`]),
    ...(tailLines === undefined ? [] : [`--lines=${tailLines}`]),
    ...services.map((service) => `--unit=${service}`),
    ...(pattern === undefined ? [] : [`--grep=${pattern}`]),
    ...(boot === undefined ? [] : [`--boot=${boot}`]),
  ];
}

/** The program reads times as those of the zone that `--utc` sets for output only, hence the zone at the end. */
const timeText = (time: Date): string => `${time.toISOString().slice(0, 19).replace("T", " ")} UTC`;

/** @throws Error if the program cannot be started */
async function run(
  program: string,
  args: readonly string[],
  signal: AbortSignal,
  write: (chunk: Buffer) => Promise<void>,
): Promise<void> {
  signal.throwIfAborted();
  const child = spawn(program, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8" },
  });
  // Child processes of the program may keep the pipes open.
  const end = () => {
    child.kill("SIGKILL");
    child.stdout.destroy();
    child.stderr.destroy();
  };
  signal.addEventListener("abort", end, { once: true });
  const closed = once(child, "close");
  closed.catch(() => undefined);
  try {
    await once(child, "spawn");
    await Promise.all([pass(child.stdout, write), pass(child.stderr, write)]);
    await closed;
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

async function pass(from: Readable, write: (chunk: Buffer) => Promise<void>): Promise<void> {
  for await (const chunk of from) await write(chunk);
}
