import type { Endpoint } from "./raw-connection.ts";

/** What targets of an API server need. */
export interface ServerEnvironment {
  readonly endpoint: Endpoint;
  /** Bearer token of an administrator. */
  readonly token: string;
  /** Recent continue tokens of the server; targets add to them and reuse them. */
  readonly continueTokens: string[];
}

/** The namespace for most requests. */
export const fuzzNamespace = "fuzz";
