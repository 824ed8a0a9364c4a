import {
  apiVersionOf,
  canonicalize,
  DecodeError,
  DeleteOptions,
  encodeMessage,
  parseJson,
  type ResourceDefinition,
  type Schema,
  writeEnvelope,
} from "@orchernetes/apimachinery";
import { assertNever } from "@orchernetes/kernel";
import { collectionPath } from "../generate/target-text.ts";
import { fuzzNamespace } from "../server/environment.ts";
import { type Growth, grownText, operations, repeated } from "./grown-text.ts";
import type { ProbedRequest } from "./probed-server.ts";
import { baseObject, isCustom, resourceOf } from "./slow-resources.ts";

/** The ways to send an object, a change of an object, or another request to the server. */
export const forms = [
  "json",
  "yaml",
  "protobuf",
  "update",
  "status",
  "json-patch",
  "merge-patch",
  "strategic-patch",
  "apply",
  "delete",
  "query",
  "header",
  "path",
] as const;
/** One of {@link forms}. */
export type Form = (typeof forms)[number];

/** Forms of requests without a body. Their growths are in a query parameter, a header or a segment of the path. */
export const bodiless: ReadonlySet<Form> = new Set(["query", "header", "path"]);

/** Forms of requests about an object that must exist. */
export const ofPresent: ReadonlySet<Form> = new Set([
  "update",
  "status",
  "json-patch",
  "merge-patch",
  "strategic-patch",
  "apply",
  "delete",
]);

/** A compact description of a request that may be slow; its body is generated from it. */
export interface SlowCase {
  /** `group/version/plural`, such as `apps/v1/deployments`. */
  readonly resource: string;
  readonly form: Form;
  readonly growths: readonly Growth[];
  /** Growths of the object that exists before. @default no growths; for an apply, no object */
  readonly stored?: readonly Growth[];
  /** Accept header of the request. @default JSON */
  readonly accept?: string;
  /** User to impersonate, who is in no group of administrators. @default an administrator */
  readonly user?: string;
}

/** The name of the objects in cases. */
export const slowName = "slow";

/** Largest size of a request target, and of the headers, in bytes. The server accepts 64 KiB for both together. */
export const lineBytes = 60_000;

/** The schema of what a case in this form grows: objects of the kind, or the options of deletes. */
export function schemaOfForm(definition: ResourceDefinition, form: Form): Schema {
  return form === "delete" ? DeleteOptions : definition.schema;
}

/** The object that grows in this form. */
export function baseOfForm(definition: ResourceDefinition, form: Form): Record<string, unknown> {
  return form === "delete" ? { kind: "DeleteOptions", apiVersion: "v1" } : baseObject(definition, slowName);
}

/** The name of objects of the kind; definitions of custom kinds have a prescribed one. */
export function nameOf(definition: ResourceDefinition): string {
  return String((baseObject(definition, slowName).metadata as { readonly name: string }).name);
}

/** Path of the collection that a case is about. */
export function collectionOf({ resource }: SlowCase): string {
  return collectionPath(resourceOf(resource), fuzzNamespace);
}

/** The object that exists before; undefined when there is none. */
export function storedBody({ resource, form, stored }: SlowCase): Buffer | undefined {
  if (!ofPresent.has(form) || (form === "apply" && stored === undefined)) return undefined;
  return Buffer.from(grownText(baseObject(resourceOf(resource), slowName), stored ?? []));
}

/** The request of a case; undefined when the form cannot express it. */
export function requestOf(input: SlowCase): ProbedRequest | undefined {
  const { resource, form, growths, accept, user } = input;
  const definition = resourceOf(resource);
  const collection = collectionOf(input);
  const one = `${collection}/${nameOf(definition)}`;
  const common: Record<string, string> = {
    ...(accept === undefined ? {} : { accept }),
    ...(user === undefined ? {} : { "impersonate-user": user }),
  };
  const request = (method: string, path: string, type: string, body: Buffer): ProbedRequest => ({
    method,
    path,
    headers: { "content-type": type, ...common },
    body,
  });
  const text = (): Buffer => Buffer.from(grownText(baseOfForm(definition, form), growths));
  switch (form) {
    case "query": {
      const query = growths.map((growth) => `${growth.at[0]}=${encodeURIComponent(repeated(growth))}`).join("&");
      return { method: "GET", path: `${collection}?${query}`.slice(0, lineBytes), headers: common };
    }
    case "path": {
      const segments = growths.map((growth) => repeated(growth)).join("");
      const path = encodeURIComponent(segments).replaceAll("%2F", "/").slice(0, lineBytes);
      return { method: "GET", path: `${collection}/${path}`, headers: common };
    }
    case "header":
      return { method: "GET", path: `${collection}?limit=1`, headers: { ...common, ...headersOf(growths) } };
    case "json-patch": {
      const body = Buffer.from(`[${growths.map(operations).join(",")}]`);
      return request("PATCH", one, "application/json-patch+json", body);
    }
    case "json":
      return request("POST", collection, "application/json", text());
    case "yaml":
      // The comment comes first so that no part of the server takes the document for JSON and skips the YAML parser.
      return request("POST", collection, "application/yaml", Buffer.concat([Buffer.from("#\n"), text()]));
    case "update":
      return request("PUT", one, "application/json", text());
    case "status":
      return request("PUT", `${one}/status`, "application/json", text());
    case "delete":
      return request("DELETE", one, "application/json", text());
    case "merge-patch":
      return request("PATCH", one, "application/merge-patch+json", text());
    case "strategic-patch":
      return request("PATCH", one, "application/strategic-merge-patch+json", text());
    case "apply":
      return request("PATCH", `${one}?fieldManager=slow&force=true`, "application/apply-patch+yaml", text());
    case "protobuf": {
      const body = isCustom(definition) ? undefined : wireOf(definition, text());
      return body && request("POST", collection, "application/vnd.orchernetes.protobuf", body);
    }
    default:
      return assertNever(form);
  }
}

function headersOf(growths: SlowCase["growths"]): Record<string, string> {
  const most = Math.floor(lineBytes / Math.max(1, growths.length));
  // Characters that are not valid in headers are left out.
  const value = (growth: Growth): string =>
    Buffer.from(repeated(growth))
      .toString("latin1")
      .replace(/[^\t\x20-\x7e\x80-\xff]/g, "")
      .slice(0, most);
  return Object.fromEntries(growths.map((growth) => [growth.at[0] ?? "x", value(growth)]));
}

function wireOf(definition: ResourceDefinition, text: Buffer): Buffer | undefined {
  try {
    const object = canonicalize(definition.schema, parseJson(text).value);
    return writeEnvelope(apiVersionOf(definition), definition.kind, encodeMessage(definition.schema, object));
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
