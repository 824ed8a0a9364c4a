import type { Daemon } from "@orchernetes/component";
import { type Config, completeConfig } from "./config.ts";
import { orchProxyFlags } from "./flags/index.ts";
import { runServer } from "./server.ts";

/** The daemon. */
export const orchProxy: Daemon<typeof orchProxyFlags, Config> = {
  name: "orch-proxy",
  description:
    "Routes the traffic to services on its node: it turns services and their endpoints into rules of the kernel's packet filter, or forwards connections itself where there is none.",
  flags: orchProxyFlags,
  configure: completeConfig,
  run: runServer,
};
