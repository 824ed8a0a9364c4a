import { builtInProviders } from "@orchernetes/cloud-provider";
import { runDaemon } from "@orchernetes/component";
import { cloudControllerManager } from "./daemon.ts";

/** Runs the daemon until its signal aborts; resolves to the exit code of the process. */
export function run(): Promise<number> {
  return runDaemon(cloudControllerManager(builtInProviders));
}
