import { apiVersionOf, type ResourceDefinition } from "@orchernetes/apimachinery";
import type { Random } from "../random.ts";
import { everyResource } from "./minimal-objects.ts";
import { nastyText, plainName } from "./nasty-text.ts";
import { fieldSelectorText, labelSelectorText } from "./selector-text.ts";

/** Path of the collection of a resource. Namespaced ones are in this namespace, or in all namespaces when it is "". */
export function collectionPath(definition: ResourceDefinition, namespace: string): string {
  const root = definition.group === "" ? `/api/${definition.version}` : `/apis/${apiVersionOf(definition)}`;
  const inside = definition.scope === "Namespaced" && namespace !== "" ? `/namespaces/${namespace}` : "";
  return `${root}${inside}/${definition.plural}`;
}

const otherPaths = [
  "/",
  "/api",
  "/apis",
  "/api/v1",
  "/apis/apps",
  "/apis/apps/v1",
  "/openapi/v2",
  "/openapi/v3",
  "/openapi/v3/api/v1",
  "/version",
  "/healthz",
  "/livez/ping",
  "/readyz",
  "/metrics",
  "/logs/",
  "/debug/flags/v",
  "/.well-known/openid-configuration",
  "/openid/v1/jwks",
  "/api/v1/watch/pods",
  "/api/v1/watch/namespaces/fuzz/configmaps",
];

const queryKeys = [
  "labelSelector",
  "fieldSelector",
  "limit",
  "continue",
  "resourceVersion",
  "resourceVersionMatch",
  "timeoutSeconds",
  "watch",
  "allowWatchBookmarks",
  "sendInitialEvents",
  "dryRun",
  "fieldManager",
  "fieldValidation",
  "force",
  "gracePeriodSeconds",
  "propagationPolicy",
  "orphanDependents",
  "pretty",
  "follow",
  "command",
  "container",
  "ports",
  "timeout",
  "includeObject",
  "__proto__",
];

const queryValues: Readonly<Record<string, readonly string[]>> = {
  limit: ["0", "1", "2", "500", "-1", "9223372036854775807", "1e3", "NaN"],
  resourceVersion: [
    "",
    "0",
    "1",
    "18446744073709551615",
    "18446744073709551616",
    "-1",
    "abc",
    "999999999",
    "0x1",
    "01",
  ],
  resourceVersionMatch: ["Exact", "NotOlderThan", "x", ""],
  timeoutSeconds: ["0", "1", "-1", "1e9", "99999999999999999999", "0.5"],
  watch: ["true", "false", "1", "0", "TRUE", "x"],
  allowWatchBookmarks: ["true", "1"],
  sendInitialEvents: ["true", "false"],
  dryRun: ["All", "", "x", "All,All"],
  fieldManager: ["fuzz", "", "a".repeat(200), "\u0000", "é"],
  fieldValidation: ["Strict", "Warn", "Ignore", "x"],
  force: ["true", "false", "x"],
  gracePeriodSeconds: ["0", "-1", "30", "99999999999"],
  propagationPolicy: ["Background", "Foreground", "Orphan", "x"],
  orphanDependents: ["true", "false"],
  pretty: ["true", "1"],
  timeout: ["1s", "0s", "-1s", "x", "1h", "99999999h"],
};

/**
 * A query string, in most cases with correct percent-encoding.
 * @param continueTokens - tokens that the server returned, to be used or damaged
 */
export function queryText(random: Random, continueTokens: readonly string[] = []): string {
  const pairs = random.many(0, 5, () => {
    const key = random.chance(0.97) ? random.pick(queryKeys) : nastyText(random);
    let value: string;
    if (key === "labelSelector" && random.chance(0.9)) value = labelSelectorText(random);
    else if (key === "fieldSelector" && random.chance(0.9)) value = fieldSelectorText(random);
    else if (key === "continue" && random.chance(0.9)) value = continueText(random, continueTokens);
    else {
      const known = Object.hasOwn(queryValues, key) ? queryValues[key] : undefined;
      value = known !== undefined && random.chance(0.9) ? random.pick(known) : nastyText(random);
    }
    const encoded = random.chance(0.95) ? encodeURIComponent(value.toWellFormed()) : pathSafe(value);
    return random.chance(0.97) ? `${encodeURIComponent(key.toWellFormed())}=${encoded}` : encoded;
  });
  return pairs.join(random.chance(0.97) ? "&" : random.pick([";", "&&", "?", "#"]));
}

/**
 * A continue token: one that the server returned, a damaged one, or a forged one. The content of a token comes from
 * the client and must not reach other prefixes of the store.
 */
function continueText(random: Random, tokens: readonly string[]): string {
  const token = {
    v: random.pick<unknown>(["meta.o8s.io/v1", "meta.k8s.io/v1", "", 1]),
    rv: random.pick<unknown>([1, 0, -1, -2, 5, 1e300, "1", null, 2 ** 53]),
    start: random.pick<unknown>([
      "a\u0000",
      "fuzz/fuzz-1\u0000",
      "../x\u0000",
      "/x\u0000",
      "\u0000",
      "x",
      1,
      null,
      `${"a".repeat(500)}\u0000`,
      "\ud800\u0000",
      "😀\u0000",
    ]),
  };
  if (tokens.length > 0 && random.chance(0.3)) {
    const base = random.pick(tokens);
    return random.chance(0.5)
      ? base
      : base.slice(0, random.below(base.length)) + random.pick(["", "A", "=", "-_", "%"]);
  }
  return Buffer.from(random.chance(0.9) ? JSON.stringify(token) : nastyText(random)).toString(
    random.pick(["base64url", "base64"]),
  );
}

/** The text with all characters percent-encoded that cannot occur in a request line. */
function pathSafe(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, (character) => encodeURIComponent(character.toWellFormed()));
}

const verbs = [
  "status",
  "scale",
  "proxy",
  "log",
  "exec",
  "attach",
  "portforward",
  "eviction",
  "binding",
  "token",
  "approval",
  "finalize",
  "ephemeralcontainers",
  "resize",
  "__proto__",
  "constructor",
  "x",
];

/** A request target: the path of something that may exist, sometimes changed a little, and a query. */
export function targetText(random: Random, continueTokens: readonly string[] = []): string {
  let path = random.chance(0.15) ? random.pick(otherPaths) : resourcePath(random);
  if (random.chance(0.3)) path = mutatedPath(random, path);
  const query = random.chance(0.6) ? `?${queryText(random, continueTokens)}` : "";
  return path + query;
}

function resourcePath(random: Random): string {
  const namespace = random.pick(["fuzz", "fuzz", "fuzz", "default", "", "missing", "orch-system"]);
  let path = collectionPath(random.pick(everyResource), namespace);
  if (random.chance(0.6)) path += `/${pathSafe(plainName(random))}`;
  if (random.chance(0.4)) path += `/${random.pick(verbs)}`;
  if (random.chance(0.1)) path += `/${pathSafe(nastyText(random))}`;
  return path;
}

function mutatedPath(random: Random, path: string): string {
  const segments = path.split("/");
  const at = 1 + random.below(segments.length);
  switch (random.below(7)) {
    case 0:
      segments.splice(
        at,
        0,
        random.pick(["", ".", "..", "%2e%2e", "%2F", "%00", "%", "%zz", "%ff", "watch", "namespaces", ";x=y"]),
      );
      break;
    case 1:
      segments.splice(at, 1);
      break;
    case 2:
      segments[at] = pathSafe(nastyText(random));
      break;
    case 3:
      return path.replace(/[a-z]/g, (letter) =>
        random.chance(0.2) ? `%${letter.charCodeAt(0).toString(16)}` : letter,
      );
    case 4:
      return `${path}${"/x".repeat(random.size(3000))}`;
    case 5:
      return random.pick([
        `https://other${path}`,
        `//other${path}`,
        `*`,
        path.slice(1),
        path.toUpperCase(),
        `${path}/`,
        `${path}//`,
        `${path}#x`,
      ]);
    default:
      segments[at] = "a".repeat(random.size(9000));
  }
  return segments.join("/");
}
