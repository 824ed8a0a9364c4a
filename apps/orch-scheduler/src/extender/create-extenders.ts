import { readFileSync } from "node:fs";
import type { ClientTls } from "@orchernetes/client";
import type { SchedulerConfiguration } from "../config/scheduler-configuration.ts";
import { Extender } from "./extender.ts";
import { createExtenderClient } from "./extender-client.ts";

type Settings = SchedulerConfiguration["extenders"][number];

/** Time limit of a request without `httpTimeout`, in milliseconds. */
const DEFAULT_TIMEOUT_MS = 5000;

/**
 * The TLS material of an extender, from files or from the configuration itself. As in the original, `enableHTTPS` without
 * an authority disables the verification of the server's certificate.
 *
 * @throws Error of a file that cannot be read
 */
export function extenderTls({ enableHTTPS, tlsConfig: tls }: Pick<Settings, "enableHTTPS" | "tlsConfig">): ClientTls {
  const material = (data: string | undefined, file = ""): Buffer | undefined => {
    if (data !== undefined) return Buffer.from(data, "base64");
    return file === "" ? undefined : readFileSync(file);
  };
  const ca = material(tls?.caData, tls?.caFile);
  const cert = material(tls?.certData, tls?.certFile);
  const key = material(tls?.keyData, tls?.keyFile);
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    insecure: tls?.insecure === true || (enableHTTPS && ca === undefined),
    ...(tls !== undefined && tls.serverName !== "" && { serverName: tls.serverName }),
  };
}

/** Creates the extenders of a configuration. Their connections are closed when the signal aborts. */
export function createExtenders(
  settings: SchedulerConfiguration["extenders"],
  signal: AbortSignal,
): readonly Extender[] {
  return settings.map((one) => {
    const { urlPrefix, httpTimeout } = one;
    const client = createExtenderClient({
      urlPrefix,
      tls: extenderTls(one),
      timeoutMs: httpTimeout === 0 ? DEFAULT_TIMEOUT_MS : httpTimeout,
    });
    signal.addEventListener("abort", () => client.close(), { once: true });
    return new Extender(one, client);
  });
}
