import { createHash } from "node:crypto";
import type { HttpRequest } from "@orchernetes/kernel";
import {
  type Attributes,
  type Authenticator,
  type Authorizer,
  InvalidCredentialsError,
  type UserInfo,
} from "./interfaces.ts";
import { TtlCache } from "./ttl-cache.ts";

/**
 * Creates a review at the API server and answers it with its status filled in.
 * @param path such as `/apis/authentication.o8s.io/v1/tokenreviews`
 */
export type ReviewClient = (path: string, review: object, signal: AbortSignal) => Promise<unknown>;

const cacheLimit = 4096;
/** Several requests may wait for one review, so it has a time limit of its own instead of the signal of one of them. */
const reviewTimeoutMs = 10_000;
const field = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];

/** The token of an `Authorization: Bearer` header, or undefined. */
export function bearerToken(request: HttpRequest): string | undefined {
  const [, token] = /^bearer +([^ ]+) *$/i.exec(request.headers.authorization ?? "") ?? [];
  return token;
}

/** Asks the API server whose a bearer token is. Answers are kept for `ttlMs`; two requests with one token ask once. */
export function tokenReviewAuthenticator(options: {
  readonly review: ReviewClient;
  readonly ttlMs: number;
  readonly audiences?: readonly string[];
  readonly now?: () => number;
}): Authenticator {
  const cache = new TtlCache<UserInfo | undefined>({ limit: cacheLimit, now: options.now ?? Date.now });
  const load = async (token: string, signal: AbortSignal): Promise<UserInfo | undefined> => {
    const spec = { token, ...(options.audiences === undefined ? {} : { audiences: options.audiences }) };
    const review = { apiVersion: "authentication.o8s.io/v1", kind: "TokenReview", spec };
    const status = field(await options.review("/apis/authentication.o8s.io/v1/tokenreviews", review, signal), "status");
    if (field(status, "authenticated") !== true) return undefined;
    const user = field(status, "user");
    const extra = Object.entries(field(user, "extra") ?? {}).map(([key, value]) => [key, texts(value)] as const);
    const uid = field(user, "uid");
    return {
      name: String(field(user, "username") ?? ""),
      groups: texts(field(user, "groups")),
      ...(typeof uid === "string" ? { uid } : {}),
      extra: Object.fromEntries(extra),
    };
  };
  return {
    async authenticate(request) {
      const token = bearerToken(request);
      if (token === undefined) return undefined;
      const user = await cache.get(
        // By digest: a look-up by the token itself would take a time that depends on it.
        createHash("sha256").update(token).digest("base64"),
        () => load(token, AbortSignal.timeout(reviewTimeoutMs)),
        () => options.ttlMs,
      );
      if (user === undefined) throw new InvalidCredentialsError("the token is not valid");
      return user;
    },
  };
}

/** Asks the API server whether a request may be made. Permissions and refusals are kept for times of their own. */
export function accessReviewAuthorizer(options: {
  readonly review: ReviewClient;
  readonly allowTtlMs: number;
  readonly denyTtlMs: number;
  readonly now?: () => number;
}): Authorizer {
  type Answer = Awaited<ReturnType<Authorizer["authorize"]>>;
  const cache = new TtlCache<Answer>({ limit: cacheLimit, now: options.now ?? Date.now });
  const load = async (spec: object, signal: AbortSignal): Promise<Answer> => {
    const review = { apiVersion: "authorization.o8s.io/v1", kind: "SubjectAccessReview", spec };
    const answer = await options.review("/apis/authorization.o8s.io/v1/subjectaccessreviews", review, signal);
    const status = field(answer, "status");
    const decision =
      field(status, "denied") === true ? "Deny" : field(status, "allowed") === true ? "Allow" : "NoOpinion";
    return { decision, reason: String(field(status, "reason") ?? "") };
  };
  return {
    authorize(attributes) {
      const spec = accessReviewSpec(attributes);
      const ttl = ({ decision }: Answer) => (decision === "Allow" ? options.allowTtlMs : options.denyTtlMs);
      return cache.get(JSON.stringify(spec), () => load(spec, AbortSignal.timeout(reviewTimeoutMs)), ttl);
    },
  };
}

/** The spec of a SubjectAccessReview about a request. */
export function accessReviewSpec(attributes: Attributes): object {
  const { user, verb } = attributes;
  const { name, uid, groups, extra } = user;
  const subject = {
    user: name,
    groups,
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined ? {} : { extra }),
  };
  if (attributes.kind === "path") return { ...subject, nonResourceAttributes: { path: attributes.path, verb } };
  const { group, version, resource, subresource, namespace, name: object } = attributes;
  return { ...subject, resourceAttributes: { namespace, verb, group, version, resource, subresource, name: object } };
}

/** Lets everyone read the given paths; a path that ends in `*` covers all that begin with what is before it. */
export function alwaysAllowPaths(paths: readonly string[]): Authorizer {
  const exact = new Set(paths.filter((path) => !path.endsWith("*")).map((path) => path.replace(/^\/*/, "/")));
  const prefixes = paths.filter((path) => path.endsWith("*")).map((path) => path.slice(0, -1).replace(/^\/*/, "/"));
  return {
    async authorize(attributes) {
      const allowed =
        attributes.kind === "path" &&
        (exact.has(attributes.path) || prefixes.some((prefix) => attributes.path.startsWith(prefix)));
      return { decision: allowed ? "Allow" : "NoOpinion", reason: "" };
    },
  };
}
