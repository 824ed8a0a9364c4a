import type { Endpoint } from "./raw-connection.ts";

/** What targets against an API server have at hand. */
export interface ServerEnvironment {
  readonly endpoint: Endpoint;
  /** Of an administrator. */
  readonly token: string;
  /** Continue tokens that the server gave out. */
  readonly continueTokens: string[];
}

/** The namespace that most of it happens in. */
export const fuzzNamespace = "fuzz";
