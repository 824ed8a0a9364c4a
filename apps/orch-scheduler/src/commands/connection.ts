import { readFileSync } from "node:fs";
import { type Client, createClient, loadClientConfig } from "@orchernetes/client";
import type { Options } from "yargs";
import { textOf, type Values } from "./command.ts";

/** Options of commands that ask a running scheduler. */
export const connectionOptions = {
  server: {
    type: "string",
    default: "https://127.0.0.1:10259",
    describe: "Address of the scheduler's secure port; that of the leader, which knows the attempts.",
  },
  orchconfig: {
    type: "string",
    describe: "Client configuration file with the credentials of a user who may get the path.",
  },
  "certificate-authority": {
    type: "string",
    describe: "Authorities of the scheduler's certificate, PEM. Those of the client configuration file by default.",
  },
  "insecure-skip-tls-verify": {
    type: "boolean",
    default: false,
    describe: "Does not verify the scheduler's certificate, such as one that it signed itself.",
  },
  timeout: { type: "number", default: 60, describe: "Seconds that the scheduler may take." },
} as const satisfies Readonly<Record<string, Options>>;

/**
 * A client of the scheduler that the options name. Credentials that could be used again by another server, which are
 * all but certificates, are not sent to a server that is not verified.
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

/** The time that the scheduler may take, in milliseconds. @throws Error if it is no such time */
export function timeoutMs({ timeout }: Values): number {
  if (typeof timeout === "number" && timeout > 0 && timeout <= 3600) return timeout * 1000;
  throw new Error(`--timeout: found ${JSON.stringify(timeout)}; want more than 0 and at most 3600 seconds`);
}
