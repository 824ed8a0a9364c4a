import type { RequestState } from "../http/request-state.ts";

/** The user for whom a document is parsed or encoded. */
export interface YamlCaller {
  /** Users have their turns one after the other, however many documents one of them sends. @default one for all */
  readonly user?: string;
  /** Aborts when no caller waits for the result any more. */
  readonly signal?: AbortSignal;
}

/** The user who sent a request: impersonation does not give a user additional turns. */
export function yamlCaller({
  user,
  impersonatedBy = user,
  signal,
}: Pick<RequestState, "user" | "impersonatedBy" | "signal">): YamlCaller {
  return { user: impersonatedBy.name, signal };
}
