import { runDaemon } from "@orchernetes/component";
import { cloudControllerManager } from "./daemon.ts";

/** Runs the daemon until its signal aborts; resolves to the exit code of the process. */
export function run(): Promise<number> {
  // No provider is built in. A program with one of its own passes it here.
  return runDaemon(cloudControllerManager({}));
}
