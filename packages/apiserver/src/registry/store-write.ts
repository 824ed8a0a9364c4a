import { loopbackUser, type UserInfo } from "@orchernetes/auth";
import type { AdmissionContext, WriteOptions } from "../interfaces/index.ts";
import { serverManager } from "./field-ownership.ts";
import type { RegistryEnvironment, WriteRequest } from "./served-version.ts";
import type { WriteGuard } from "./write-guard.ts";

/**
 * A write of the server itself: by default without admission, as the loopback user. A class with a getter, because reading the signal of
 * the options may create an AbortController; see `CustomContext` for what a getter of an object literal costs.
 */
export class StoreWrite implements WriteRequest {
  readonly user: UserInfo;
  readonly admission: boolean;
  readonly dryRun: boolean;
  readonly options: Readonly<Record<string, unknown>>;
  readonly now: Date;
  readonly warn: (message: string) => void;
  readonly annotate: AdmissionContext["annotate"] = ignore;
  readonly subresource: string;
  readonly manager: string;
  readonly guard: WriteGuard | undefined;
  readonly #given: WriteOptions;
  readonly #environment: RegistryEnvironment;

  constructor(
    environment: RegistryEnvironment,
    given: WriteOptions,
    subresource: string,
    guard: WriteGuard | undefined,
  ) {
    this.user = given.user ?? loopbackUser;
    this.admission = given.admission ?? false;
    this.dryRun = given.dryRun ?? false;
    this.options = given.options ?? {};
    this.now = environment.clock.now();
    this.warn = given.warn ?? ignore;
    this.subresource = subresource;
    this.manager = given.fieldManager ?? serverManager;
    this.guard = guard;
    this.#given = given;
    this.#environment = environment;
  }

  get signal(): AbortSignal {
    return this.#given.signal ?? this.#environment.signal;
  }
}

const ignore = (): void => {};
