import type { ClientConfig } from "@orchernetes/client";
import type { DaemonContext } from "@orchernetes/component";
import { assertNever } from "@orchernetes/kernel";
import type { Config } from "./config.ts";
import { startDns } from "./dns/start-dns.ts";
import { type KeptPort, keepListening } from "./health/keep-listening.ts";
import { metricsRoutes } from "./health/metrics-routes.ts";
import { adjustOomScore } from "./host/oom-score.ts";
import { createProxyHost, type ProxyHost } from "./proxy-host.ts";
import { configurationDocument, writeConfiguration } from "./write-configuration.ts";

/**
 * Does what the command line asks for: writes the configuration, removes what a daemon has left, or serves until the signal
 * aborts.
 *
 * @throws ConfigurationError when a port cannot be listened on, with `bindAddressHardFail`
 */
export async function runServer(config: Config, context: DaemonContext): Promise<void> {
  const { task, settings, warnings } = config;
  const { logger } = context;
  for (const warning of warnings) logger.warn(warning);
  switch (task.type) {
    case "WriteConfiguration":
      await writeConfiguration(task.path, settings);
      return logger.info("Wrote the configuration", { file: task.path });
    case "CleanUp":
      return;
    case "Serve":
      return serve(config, task.client, context);
    default:
      assertNever(task);
  }
}

async function serve(config: Config, connection: ClientConfig, context: DaemonContext): Promise<void> {
  const { logger } = context;
  const stopping = new AbortController();
  const signal = AbortSignal.any([stopping.signal, context.signal]);
  await adjustOomScore(config.settings.oomScoreAdj, logger);
  const host = createProxyHost(config, connection, { ...context, signal });
  followNode(host);
  const closed: (() => Promise<void>)[] = [];
  try {
    for (const port of portsOf(host)) closed.push(await keepListening(port, signal));
    closed.push(await startDns(host));
    host.informers.run(signal);
    logger.info("Starting", { node: config.nodeName });
    await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  } finally {
    stopping.abort();
    await Promise.all(closed.map((close) => close()));
    host.client.close();
  }
}

/** The health of the daemon depends on whether its node is being deleted. */
function followNode({ informers, health }: ProxyHost): void {
  informers.node.addHandler({
    onAdd: (node) => health.nodeChanged(node),
    onUpdate: (_, node) => health.nodeChanged(node),
    onDelete: () => health.nodeDeleted(),
  });
}

/** The health checks and the metrics, unless they are disabled. */
function portsOf({ config, clock, logger, metrics, health }: ProxyHost): readonly KeptPort[] {
  const { settings } = config;
  const shared = { isRequired: settings.bindAddressHardFail, clock, logger };
  const pages = {
    metrics,
    mode: "nftables",
    configuration: configurationDocument(settings),
    profiling: settings.enableProfiling,
    logger,
  };
  return [
    ...(config.healthz === undefined
      ? []
      : [{ ...shared, name: "health checks", address: config.healthz, handler: health.handle }]),
    ...(config.metrics === undefined
      ? []
      : [{ ...shared, name: "metrics", address: config.metrics, handler: metricsRoutes(pages) }]),
  ];
}
