import { cloneJson, type ResourceDefinition } from "@orchernetes/apimachinery";
import { jsonText } from "../generate/json-text.ts";
import { anyJson } from "../generate/json-value.ts";
import { everyResource, minimalObject } from "../generate/minimal-objects.ts";
import { nastyText, plainName } from "../generate/nasty-text.ts";
import { randomObject } from "../generate/object.ts";
import { jsonPatchBody, mergePatchBody, strategicPatchBody } from "../generate/patch-body.ts";
import { collectionPath, queryText, targetText } from "../generate/target-text.ts";
import { wireText } from "../generate/wire.ts";
import { yamlText } from "../generate/yaml-text.ts";
import type { Random } from "../random.ts";
import { rawText, type Target } from "../target.ts";
import { fuzzNamespace, type ServerEnvironment } from "./environment.ts";
import { acceptHeader, hostileHeaders } from "./header-lines.ts";
import { judgeAnswer } from "./judge-answer.ts";
import { RawConnection } from "./raw-connection.ts";
import { type RequestCase, requestBytes } from "./request-case.ts";

// More than the request timeout of the fuzzed server, 20 s.
const TIMEOUT_MS = 30_000;
// Time to read a watch or a log, which need not end.
const STREAM_MS = 120;

type Generate = (random: Random, environment: ServerEnvironment) => RequestCase;

const subresources = ["status", "scale", "approval", "finalize", "ephemeralcontainers", "eviction", "binding", "token"];

function objectPath(random: Random, definition: ResourceDefinition): string {
  const namespace = random.chance(0.95) ? fuzzNamespace : random.pick(["default", "missing", ""]);
  return collectionPath(definition, namespace);
}

function withQuery(random: Random, path: string): string {
  return random.chance(0.3) ? `${path}?${queryText(random)}` : path;
}

const jsonTypes = ["application/json", "application/json", "application/json;charset=utf-8", "", "*/*", "text/json"];

/** Creates and updates in all encodings. */
const bodies: Generate = (random) => {
  const definition = random.pick(everyResource);
  const object = randomObject(random, definition);
  const form = random.below(3);
  const body =
    form === 0
      ? jsonText(random, object)
      : form === 1
        ? yamlText(random, object)
        : wireText(random, definition, object);
  const type =
    form === 0 ? random.pick(jsonTypes) : form === 1 ? "application/yaml" : "application/vnd.orchernetes.protobuf";
  const collection = objectPath(random, definition);
  const update = random.chance(0.4);
  let path = update ? `${collection}/${nameOf(object)}` : collection;
  if (update && random.chance(0.4))
    path += `/${random.pick([...Object.keys(definition.subresources ?? {}), ...subresources])}`;
  const headers = [...(type === "" ? [] : [`Content-Type: ${type}`]), ...acceptHeader(random)];
  return {
    method: update ? random.pick(["PUT", "PUT", "POST"]) : "POST",
    target: withQuery(random, path),
    headers,
    body,
  };
};

function nameOf(object: Record<string, unknown>): string {
  const metadata: unknown = (object as Record<string, unknown> | null)?.metadata;
  const name = (metadata as { readonly name?: unknown } | null | undefined)?.name;
  return encodeURIComponent(typeof name === "string" && name !== "" ? name.toWellFormed() : "fuzz-1");
}

/** Patches of all types for objects that the other targets create. */
const patches: Generate = (random) => {
  const definition = random.pick(everyResource);
  const name = plainName(random).toWellFormed();
  const [type, value] = patchOf(random, definition, name);
  const yaml = type === "application/apply-patch+yaml" && random.chance(0.6);
  const body = yaml ? yamlText(random, value) : jsonText(random, value);
  let path = `${objectPath(random, definition)}/${encodeURIComponent(name)}`;
  if (random.chance(0.3)) path += `/${random.pick([...Object.keys(definition.subresources ?? {}), ...subresources])}`;
  const manager =
    type.includes("apply") && random.chance(0.95) ? [`fieldManager=${random.pick(["one", "two", "three"])}`] : [];
  const query = [
    ...manager,
    ...(random.chance(0.5) ? ["force=true"] : []),
    ...(random.chance(0.2) ? [queryText(random)] : []),
  ].join("&");
  const contentType = random.chance(0.97) ? type : nastyHeaderValue(random);
  return {
    method: "PATCH",
    target: `${path}${query === "" ? "" : `?${query}`}`,
    headers: [`Content-Type: ${contentType}`, ...acceptHeader(random)],
    body,
  };
};

function patchOf(random: Random, definition: ResourceDefinition, name: string): [type: string, body: unknown] {
  switch (random.below(4)) {
    case 0:
      return ["application/json-patch+json", jsonPatchBody(random, minimalObject(definition, name))];
    case 1:
      return ["application/merge-patch+json", mergePatchBody(random, definition)];
    case 2:
      return ["application/strategic-merge-patch+json", strategicPatchBody(random, definition)];
    default:
      return [
        "application/apply-patch+yaml",
        random.chance(0.3) ? minimalObject(definition, name) : randomObject(random, definition),
      ];
  }
}

const nastyHeaderValue = (random: Random): string => rawText(nastyText(random)).replace(/[\r\n\0]/g, "");

/** Reads, watches and deletes with random queries. */
const queries: Generate = (random, { continueTokens }) => {
  const definition = random.pick(everyResource);
  const method = random.pick(["GET", "GET", "GET", "GET", "HEAD", "DELETE"]);
  let path = objectPath(random, definition);
  if (random.chance(method === "DELETE" ? 0.9 : 0.3)) path += `/fuzz-${random.below(30)}`;
  const body = method === "DELETE" && random.chance(0.5) ? jsonText(random, deleteOptions(random)) : "";
  const headers = [...(body === "" ? [] : ["Content-Type: application/json"]), ...acceptHeader(random)];
  return { method, target: `${path}?${queryText(random, continueTokens)}`, headers, body };
};

function deleteOptions(random: Random): unknown {
  return {
    kind: "DeleteOptions",
    apiVersion: random.pick(["v1", "apps/v1", "meta.o8s.io/v1", "x"]),
    gracePeriodSeconds: random.pick<unknown>([0, 1, -1, "0", null, 1e300]),
    propagationPolicy: random.pick<unknown>(["Background", "Foreground", "Orphan", "x", 1]),
    preconditions: random.pick<unknown>([{ uid: "x" }, { resourceVersion: "1" }, null, [], anyJson(random)]),
    dryRun: random.pick<unknown>([["All"], ["x"], "All", []]),
  };
}

/** The namespace that the other cases and the canary need. */
const ownNamespace = new RegExp(`^/api/v1/namespaces/${fuzzNamespace}/?(?:[?#]|$)`);

/** Any method on any path, except that the namespace is not deleted. */
const paths: Generate = (random, { continueTokens }) => {
  const picked = random.chance(0.9)
    ? random.pick(["GET", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    : random.pick(["TRACE", "CONNECT", "PROPFIND", "get", "X", "PURGE", "M-SEARCH", "QUERY"]);
  const target = targetText(random, continueTokens);
  const method = picked === "DELETE" && ownNamespace.test(target) ? "GET" : picked;
  const body = random.chance(0.3) ? jsonText(random, cloneJson(anyJson(random))) : "";
  return { method, target: /^[\x21-\x7e]+$/.test(target) ? target : "/", headers: acceptHeader(random), body };
};

/** Headers that are false, repeated, large or impersonate. */
const headers: Generate = (random) => {
  const definition = random.pick(everyResource);
  const method = random.pick(["GET", "GET", "POST", "DELETE"]);
  const collection = objectPath(random, definition);
  const body = method === "POST" ? jsonText(random, minimalObject(definition, plainName(random))) : "";
  const target =
    method === "GET" ? collection : method === "POST" ? `${collection}?dryRun=All` : `${collection}/fuzz-1?dryRun=All`;
  return { method, target, headers: hostileHeaders(random), body };
};

/** Sends one request at a time per connection, reuses connections, and judges the response. */
export function requestCheck(environment: ServerEnvironment): Target<RequestCase>["check"] {
  const idle: RawConnection[] = [];
  return async (input) => {
    const connection = idle.pop() ?? new RawConnection(environment.endpoint);
    const streams = isStream(input.target);
    const bytes = requestBytes(input, environment.token);
    const bodyTimeoutMs = streams ? STREAM_MS : TIMEOUT_MS;
    let found = await connection.send(bytes, input.method, TIMEOUT_MS, bodyTimeoutMs);
    if (found.type !== "response" && !hasFalseFraming(input)) {
      // The server may just have closed the idle connection, or an earlier request may have left something on it.
      connection.close();
      found = await connection.send(bytes, input.method, TIMEOUT_MS, bodyTimeoutMs);
    }
    // After a false length, the server would read the next request as the rest of this body.
    if (hasFalseFraming(input)) connection.close();
    idle.push(connection);
    // With a body that is shorter than its header says, the server waits for the rest. With a protocol other than
    // HTTP, it closes the connection.
    if (found.type === "silence")
      return hasFalseFraming(input) || streams ? undefined : `no response within ${TIMEOUT_MS / 1000} s`;
    if (found.type === "closed")
      return hasFalseFraming(input) || input.method === "CONNECT"
        ? undefined
        : "the connection was closed without a response";
    const { response } = found;
    if (response.status === 200 && input.method === "GET") keepContinue(environment, response.body);
    // Nobody sends the rest of such a body, so the server has to give up after its request timeout.
    if (response.status === 504 && hasFalseFraming(input)) return undefined;
    if (!response.complete && !streams) return `the response with status ${response.status} is incomplete`;
    return judgeAnswer(input, response);
  };
}

/** The targets that send one request at a time to an API server. */
export function httpTargets(environment: ServerEnvironment): readonly Target<RequestCase>[] {
  const check = requestCheck(environment);
  return Object.entries({ bodies, patches, queries, paths, headers }).map(([name, generate]) => ({
    name: `http-${name}`,
    generate: (random) => generate(random, environment),
    check,
  }));
}

/** Whether the headers of a case may contradict the length of its body or change the protocol. */
const hasFalseFraming = ({ headers }: RequestCase): boolean =>
  headers.some((line) => /^(content-length|transfer-encoding|expect|upgrade|connection)\s*:/i.test(line));

/** Whether the response to such a request may be endless: watches, followed logs and profiles. */
function isStream(target: string): boolean {
  const plain = target.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return /watch|follow|pprof/i.test(plain);
}

/** Remembers the continue token of a list, the last 20 of them. */
function keepContinue({ continueTokens }: ServerEnvironment, body: Buffer): void {
  const token = /"continue":"([^"]+)"/.exec(body.subarray(0, 300).toString())?.[1];
  if (token === undefined) return;
  continueTokens.push(token);
  if (continueTokens.length > 20) continueTokens.shift();
}
