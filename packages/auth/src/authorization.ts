import { type ApiError, forbidden, internalError } from "@orchernetes/apimachinery";
import type { Attributes, Authorizer, Decision, RequestInfo, UserInfo } from "../interfaces/index.ts";

/** What a request asks permission for. */
export function attributesOf(user: UserInfo, info: RequestInfo): Attributes {
  return {
    user,
    verb: info.verb,
    namespace: info.namespace,
    apiGroup: info.apiGroup,
    apiVersion: info.apiVersion,
    resource: info.resource,
    subresource: info.subresource,
    name: info.name,
    path: info.path,
    resourceRequest: info.isResourceRequest,
  };
}

const quote = (text: string): string => JSON.stringify(text);

/** The 403 for a refused request. */
export function forbiddenBy(attributes: Attributes, reason: string | undefined): ApiError {
  const { user, verb, resource, subresource, namespace, apiGroup, name } = attributes;
  const tail = reason === undefined || reason === "" ? "" : `: ${reason}`;
  if (!attributes.resourceRequest) {
    return forbidden(
      { group: "", plural: "" },
      "",
      `User ${quote(user.name)} cannot ${verb} path ${quote(attributes.path)}${tail}`,
    );
  }
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${quote(namespace)}`;
  return forbidden(
    { group: apiGroup, plural: resource },
    name,
    `User ${quote(user.name)} cannot ${verb} resource ${quote(what)} in API group ${quote(apiGroup)} ${where}${tail}`,
  );
}

/** Asks authorizers in order. */
export class Authorization implements Authorizer {
  readonly #authorizers: readonly Authorizer[];
  readonly #exactPaths: ReadonlySet<string>;
  readonly #pathPrefixes: readonly string[];

  constructor(authorizers: readonly Authorizer[], alwaysAllowPaths: readonly string[] = []) {
    this.#authorizers = authorizers;
    this.#exactPaths = new Set(alwaysAllowPaths.filter((path) => !path.endsWith("/*")));
    this.#pathPrefixes = alwaysAllowPaths.filter((path) => path.endsWith("/*")).map((path) => path.slice(0, -1));
  }

  /** The decision; at once where all authorizers answer at once. */
  authorize(attributes: Attributes): Decision | Promise<Decision> {
    if (!attributes.resourceRequest && this.#alwaysAllowed(attributes.path)) return { type: "Allow" };
    return this.#from(attributes, 0, []);
  }

  /** @throws ApiError Forbidden, or InternalError when an authorizer fails */
  check(attributes: Attributes): Decision | Promise<Decision> {
    const decision = this.#guard(() => this.authorize(attributes));
    if (decision instanceof Promise) {
      return decision.then(
        (late) => this.#enforce(attributes, late),
        (error: unknown) => {
          throw internalError(error);
        },
      );
    }
    return this.#enforce(attributes, decision);
  }

  #guard<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      throw internalError(error);
    }
  }

  #enforce(attributes: Attributes, decision: Decision): Decision {
    if (decision.type === "Allow") return decision;
    throw forbiddenBy(attributes, decision.reason);
  }

  #alwaysAllowed(path: string): boolean {
    return this.#exactPaths.has(path) || this.#pathPrefixes.some((prefix) => path.startsWith(prefix));
  }

  #from(attributes: Attributes, start: number, reasons: string[]): Decision | Promise<Decision> {
    for (let i = start; i < this.#authorizers.length; i++) {
      const decision = this.#authorizers[i]?.authorize(attributes) ?? { type: "NoOpinion" };
      if (decision instanceof Promise) {
        return decision.then((late) => this.#settle(late, reasons) ?? this.#from(attributes, i + 1, reasons));
      }
      const settled = this.#settle(decision, reasons);
      if (settled !== undefined) return settled;
    }
    return { type: "NoOpinion", reason: reasons.join("\n") };
  }

  #settle(decision: Decision, reasons: string[]): Decision | undefined {
    if (decision.type !== "NoOpinion") return decision;
    if (decision.reason) reasons.push(decision.reason);
    return undefined;
  }
}
