import { readFileSync } from "node:fs";
import { type Client, createClient, loadClientConfig } from "@orchernetes/client";
import type { Options } from "yargs";
import { textOf, type Values } from "./command.ts";

/** Options of commands that send a request to a running scheduler. */
export const connectionOptions = {
  server: {
    type: "string",
    default: "https://127.0.0.1:10259",
    describe:
      "URL of the secure port of the scheduler. If several run, specify the leader: only the leader knows the attempts.",
  },
  orchconfig: {
    type: "string",
    describe: "Client configuration file of a user who may get the path.",
  },
  "certificate-authority": {
    type: "string",
    describe: "PEM file of the certificate authority of the scheduler; by default that of the client configuration.",
  },
  "insecure-skip-tls-verify": {
    type: "boolean",
    default: false,
    describe: "Does not verify the scheduler's certificate; only accepted with a client certificate.",
  },
  timeout: { type: "number", default: 60, describe: "Timeout of the request, in seconds." },
} as const satisfies Readonly<Record<string, Options>>;

/**
 * A client of the scheduler that the options name. Credentials that a server could reuse (all but client certificates) are not
 * sent to a server that is not verified.
 *
 * @throws Error if options contradict each other, or a file cannot be read
 */
export function connect(values: Values): Client {
  const file = textOf(values, "orchconfig");
  if (!file) throw new Error("want --orchconfig=FILE with the credentials of a user");
  const server = textOf(values, "server") ?? connectionOptions.server.default;
  const { tls, impersonate, token, tokenFile, basicAuth } = loadClientConfig(file, { masterOverride: server });
  const insecure = values["insecure-skip-tls-verify"] === true;
  if (impersonate !== undefined) throw new Error(`${file}: impersonation is not supported here`);
  if (insecure && (token ?? tokenFile ?? basicAuth) !== undefined)
    throw new Error("--insecure-skip-tls-verify: a token or password is not sent to a server that is not verified");
  const caFile = textOf(values, "certificate-authority");
  const { ca: configured, insecure: _, ...own } = (typeof tls === "function" ? tls() : tls) ?? {};
  const ca = caFile === undefined ? configured : readFileSync(caFile);
  return createClient({
    server,
    tls: { ...own, ...(ca !== undefined && { ca }), ...(insecure && { insecure }) },
    ...(token !== undefined && { token }),
    ...(tokenFile !== undefined && { tokenFile }),
    ...(basicAuth !== undefined && { basicAuth }),
    userAgent: "orch-scheduler-command",
    timeoutMs: timeoutMs(values),
  });
}

/** The timeout of a request, in milliseconds. @throws Error if the option is invalid */
export function timeoutMs({ timeout }: Values): number {
  if (typeof timeout === "number" && timeout > 0 && timeout <= 3600) return timeout * 1000;
  throw new Error(`--timeout: found ${JSON.stringify(timeout)}; want more than 0 and at most 3600 seconds`);
}
