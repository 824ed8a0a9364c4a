import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { canonicalize, type ResourceDefinition } from "@orchernetes/apimachinery";
import { describe, expect, test } from "vitest";
import { allResources } from "../src/resources.ts";
import { create, merged, without } from "./support.ts";

const folder = fileURLToPath(new URL("../../../../shared/spec/recordings", import.meta.url));

interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field: string;
}
interface Step {
  readonly request?: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response?: {
    readonly status: number;
    readonly body?: Readonly<Record<string, unknown>> & { readonly details?: { readonly causes?: readonly Cause[] } };
  };
  readonly at127?: { readonly ignore?: readonly string[]; readonly skip?: boolean };
}

/** Rejections that 1.27 decides or phrases differently although the recording is not marked so. */
const differs = new Set(["invalid-job 2", "invalid-job 3"]);

/** Responses that admission plugins have changed. */
const admitted = new Set(["life-default-ingressclass 2"]);

const byPath = new Map(
  allResources.map((definition) => [`${definition.group}/${definition.version}/${definition.plural}`, definition]),
);

interface Case {
  readonly title: string;
  readonly definition: ResourceDefinition;
  readonly step: Step;
}

/** All recorded creations of resources outside the core group. */
function* creations(): Generator<Case> {
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json"))) {
    const text = readFileSync(`${folder}/${file}`, "utf8").replaceAll("{{ns}}", "rec-abcdef");
    const { name, steps } = JSON.parse(text) as { name: string; steps?: Step[] };
    for (const [i, step] of (steps ?? []).entries()) {
      const match = /^\/apis\/([^/]+)\/([^/]+)\/(?:namespaces\/[^/]+\/)?([^/?]+)$/.exec(step.request?.path ?? "");
      const definition = match === null ? undefined : byPath.get(match.slice(1).join("/"));
      const title = `${name} ${i}`;
      const hasBody = typeof step.request?.body === "object" && step.request.body !== null;
      if (step.request?.method === "POST" && hasBody && definition !== undefined && !differs.has(title)) {
        yield { title, definition, step };
      }
    }
  }
}

const all = [...creations()].filter(({ step }) => step.at127?.skip !== true);
const ignores = (step: Step, pattern: RegExp): boolean => (step.at127?.ignore ?? []).some((path) => pattern.test(path));
const refusals = all.filter(
  ({ step }) =>
    step.response?.status === 422 &&
    step.response.body?.details?.causes !== undefined &&
    !ignores(step, /causes$|^body$/),
);
const acceptances = all.filter(
  ({ title, definition, step }) =>
    step.response?.status === 201 && definition.storagePrefix !== undefined && !admitted.has(title),
);

/** Context with those alpha features disabled that would change the recorded result. */
const asReleased = without("MaxUnavailableStatefulSet");

describe("recorded rejections", () => {
  test.each(refusals)("$title", ({ definition, step }) => {
    const { errors } = create(definition, step.request?.body, "UID", asReleased);
    // The generic server validates names with the definition's name format, not the strategy.
    const judged = (text: string): boolean => !text.startsWith("metadata.name: ") || definition.kind === "CronJob";
    const wanted = (step.response?.body?.details?.causes ?? [])
      .map((cause) => `${cause.field}: ${cause.message.replaceAll("<uid:1>", "UID")}`)
      .filter(judged);
    const given = errors.filter(judged);
    expect(given.map((error, i) => (wanted[i]?.includes("<any>") ? shortened(error, wanted[i]) : error))).toEqual(
      wanted,
    );
  });
});

describe("recorded creations", () => {
  test.each(acceptances)("$title", ({ definition, step }) => {
    const { object, errors } = create(definition, inNamespace(step, definition), "UID");
    expect(errors).toEqual([]);
    const { kind: _kind, apiVersion: _apiVersion, metadata: _metadata, ...wanted } = step.response?.body ?? {};
    const ignored = new Set(step.at127?.ignore);
    expect(canonicalize(definition.schema, object)).toMatchObject(expected(differingAside(wanted, "body", ignored)));
  });
});

/** The body with the namespace of the request path, which the server sets if the body has none. */
function inNamespace({ request }: Step, definition: ResourceDefinition): unknown {
  const metadata = definition.scope === "Namespaced" ? { namespace: "rec-abcdef" } : {};
  return merged(request?.body, { metadata });
}

/** The recorded value without the parts that are known to differ. */
function differingAside(value: object, path: string, ignored: ReadonlySet<string>): object {
  const kept = Object.entries(value).filter(([key]) => !ignored.has(`${path}.${key}`));
  return Object.fromEntries(
    kept.map(([key, member]: [string, unknown]) => {
      const isObject = typeof member === "object" && member !== null && !Array.isArray(member);
      return [key, isObject ? differingAside(member, `${path}.${key}`, ignored) : member];
    }),
  );
}

/** What the response must contain: the recorded value without its null members, which may be absent. */
function expected(value: object): object {
  const text = JSON.stringify(value).replaceAll("<uid:1>", "UID");
  return JSON.parse(text, (_key, member: unknown) => member ?? undefined) as object;
}

/** The error without the part that `<any>` replaces. */
function shortened(error: string, wanted: string): string {
  const [start = "", end = ""] = wanted.split("<any>");
  return error.startsWith(start) && error.endsWith(end) ? wanted : error;
}
