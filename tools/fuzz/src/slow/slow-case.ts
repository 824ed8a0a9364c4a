import {
  apiVersionOf,
  canonicalize,
  DecodeError,
  encodeMessage,
  parseJson,
  type ResourceDefinition,
  writeEnvelope,
} from "@orchernetes/apimachinery";
import { collectionPath } from "../generate/target-text.ts";
import { fuzzNamespace } from "../server/environment.ts";
import type { ProbedRequest } from "./probed-server.ts";
import { baseObject, resourceOf } from "./slow-resources.ts";

/** The ways in which an object, or a change of one, reaches the server. */
export const forms = [
  "json",
  "yaml",
  "protobuf",
  "update",
  "json-patch",
  "merge-patch",
  "strategic-patch",
  "apply",
  "selector",
] as const;
export type Form = (typeof forms)[number];

/** One place of an object that has grown. `{{i}}` in texts counts up from 0. */
export interface Growth {
  /** Names of fields from the root; list items on the way are the first. */
  readonly at: readonly string[];
  readonly how: "items" | "keys" | "text" | "nested" | "duplicates" | "operations";
  /** JSON of an item or member, or the text that is repeated. */
  readonly of: string;
  readonly times: number;
  /** Text before and behind repeated text. */
  readonly ends?: readonly [before: string, after: string];
}

/** A request that may be slow, in a few words: its body is put together from them. */
export interface SlowCase {
  /** `apps/v1/deployments` */
  readonly resource: string;
  readonly form: Form;
  readonly growths: readonly Growth[];
  /** How the answer is wanted. @default JSON */
  readonly accept?: string;
}

/** The name of the object that patches and updates are about. */
export const slowName = "slow";

/** Stands in JSON for text that is put together at the end. */
const placeholder = (i: number): string => `\u0001${i}\u0001`;

/** The request of a case; undefined when it cannot be written in its form. */
export function requestOf({ resource, form, growths, accept }: SlowCase): ProbedRequest | undefined {
  const definition = resourceOf(resource);
  const collection = collectionPath(definition, fuzzNamespace);
  const headers = (type: string): Record<string, string> => ({
    "content-type": type,
    ...(accept === undefined ? {} : { accept }),
  });
  const one = `${collection}/${slowName}`;
  if (form === "selector") {
    const query = growths.map(({ of, times, ends, at }) => `${at[0]}=${encodeURIComponent(repeated(of, times, ends))}`);
    return { method: "GET", path: `${collection}?${query.join("&")}`.slice(0, 15_000), headers: headers("*/*") };
  }
  if (form === "json-patch") {
    const text = growths.map((growth) => operations(growth)).join(",");
    return {
      method: "PATCH",
      path: one,
      headers: headers("application/json-patch+json"),
      body: Buffer.from(`[${text}]`),
    };
  }
  const text = grownText(definition, growths);
  switch (form) {
    case "json":
      return { method: "POST", path: collection, headers: headers("application/json"), body: Buffer.from(text) };
    case "update":
      return { method: "PUT", path: one, headers: headers("application/json"), body: Buffer.from(text) };
    case "yaml":
      return {
        method: "POST",
        path: collection,
        headers: headers("application/yaml"),
        body: Buffer.from(`#\n${text}`),
      };
    case "merge-patch":
    case "strategic-patch":
      return {
        method: "PATCH",
        path: one,
        headers: headers(`application/${mediaOf[form]}+json`),
        body: Buffer.from(text),
      };
    case "apply": {
      const path = `${one}?fieldManager=slow&force=true`;
      return { method: "PATCH", path, headers: headers("application/apply-patch+yaml"), body: Buffer.from(text) };
    }
    case "protobuf": {
      const body = wireOf(definition, text);
      const type = "application/vnd.orchernetes.protobuf";
      return body && { method: "POST", path: collection, headers: headers(type), body };
    }
  }
}

const mediaOf = { "merge-patch": "merge-patch", "strategic-patch": "strategic-merge-patch" } as const;

function wireOf(definition: ResourceDefinition, text: string): Buffer | undefined {
  try {
    const object = canonicalize(definition.schema, parseJson(text).value);
    return writeEnvelope(apiVersionOf(definition), definition.kind, encodeMessage(definition.schema, object));
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** JSON of the smallest object of the kind with its growths. */
function grownText(definition: ResourceDefinition, growths: readonly Growth[]): string {
  const object = baseObject(definition, slowName);
  for (const [i, growth] of growths.entries()) place(object, growth.at, placeholder(i));
  return JSON.stringify(object).replaceAll(/"\\u0001(\d+)\\u0001"/g, (_, i: string) =>
    grown(growths[Number(i)] as Growth),
  );
}

/** Puts a value at a path; what is on the way and not there yet is made, lists as objects in them. */
function place(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let holder = root;
  for (const [i, step] of path.entries()) {
    if (i === path.length - 1) {
      holder[step] = value;
      return;
    }
    const inList = path[i + 1] === "0";
    if (step === "0") continue;
    const present = holder[step];
    if (inList) {
      const list: unknown[] = Array.isArray(present) && present.length > 0 ? present : [{}];
      holder[step] = list;
      if (i + 2 === path.length) {
        list[0] = value;
        return;
      }
      if (typeof list[0] !== "object" || list[0] === null) list[0] = {};
      holder = list[0] as Record<string, unknown>;
    } else {
      const next =
        typeof present === "object" && present !== null && !Array.isArray(present) ? present : ({} as object);
      holder[step] = next;
      holder = next as Record<string, unknown>;
    }
  }
}

const counted = (text: string, times: number): string => {
  if (!text.includes("{{i}}")) return text.repeat(times);
  const parts = new Array<string>(times);
  for (let i = 0; i < times; i++) parts[i] = text.replaceAll("{{i}}", String(i));
  return parts.join("");
};

const repeated = (of: string, times: number, ends: Growth["ends"]): string =>
  `${ends?.[0] ?? ""}${counted(of, times)}${ends?.[1] ?? ""}`;

/** JSON of what stands at a place that has grown. */
function grown({ how, of, times, ends }: Growth): string {
  switch (how) {
    case "items":
      return `[${counted(`${of},`, times).slice(0, -1)}]`;
    case "keys":
      return `{${counted(`"k{{i}}":${of},`, times).slice(0, -1)}}`;
    case "duplicates":
      return `{${counted(`"k":${of},`, times).slice(0, -1)}}`;
    case "nested": {
      const depth = Math.min(times, 900);
      return `${of.repeat(depth)}0${(of.startsWith("[") ? "]" : "}").repeat(depth)}`;
    }
    case "operations":
    case "text":
      return JSON.stringify(repeated(of, times, ends));
  }
}

/** Operations of a JSON patch: one that puts what has grown in its place, or very many of one sort. */
function operations(growth: Growth): string {
  if (growth.how === "operations") return counted(`${growth.of},`, growth.times).slice(0, -1);
  const path = `/${growth.at.join("/")}`;
  return `{"op":"add","path":${JSON.stringify(path)},"value":${grown(growth)}}`;
}
