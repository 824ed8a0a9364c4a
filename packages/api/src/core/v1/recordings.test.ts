import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { canonicalize, nameValidator, type ResourceDefinition } from "@orchernetes/apimachinery";
import { describe, expect, test } from "vitest";
import { create, merged } from "../../../test/support.ts";
import { eventsV1 } from "../../events/v1/index.ts";
import { coreV1 } from "./index.ts";

const folder = fileURLToPath(new URL("../../../../../../shared/spec/recordings", import.meta.url));

interface Step {
  readonly request?: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly response?: {
    readonly status: number;
    readonly body?: { readonly details?: { readonly causes?: readonly { message: string; field: string }[] } };
  };
  readonly at127?: { readonly ignore?: readonly string[]; readonly skip?: boolean };
}

/** Errors that come from elsewhere: from the server's allocators and name generation, and from the port name check in apimachinery. */
const elsewhere = new Set([
  "invalid-service-alloc 1",
  "invalid-service-alloc 2",
  "invalid-service-alloc 3",
  "invalid-service-alloc 4",
  "invalid-meta 4",
  "invalid-pod-ports 5",
  "invalid-pod-ports 7",
]);

const byPath = new Map(
  [...coreV1, ...eventsV1].map((definition) => [
    `${definition.group === "" ? "api" : `apis/${definition.group}`}/${definition.version}/${definition.plural}`,
    definition,
  ]),
);

interface Post {
  readonly title: string;
  readonly definition: ResourceDefinition;
  readonly body: unknown;
  readonly step: Step;
}

/** Recorded creations of the resources of the core group. */
function* posts(): Generator<Post> {
  for (const file of readdirSync(folder)) {
    if (!/^(invalid|life|events|crud|patch|list)-.*\.json$/.test(file)) {
      continue;
    }
    const text = readFileSync(`${folder}/${file}`, "utf8").replaceAll("{{ns}}", "rec-abcdef");
    const { name, steps } = JSON.parse(text) as { name: string; steps: Step[] };
    for (const [i, step] of steps.entries()) {
      const match = /^\/(apis?(?:\/[^/]+)?)\/(v1)\/(?:namespaces\/([^/]+)\/)?([^/?]+)$/.exec(step.request?.path ?? "");
      const [, root = "", version = "", namespace, plural = ""] = match ?? [];
      const definition = byPath.get(`${root}/${version}/${plural}`);
      const templated = JSON.stringify(step.request?.body ?? "").includes("{{");
      if (
        step.request?.method === "POST" &&
        step.request.body !== undefined &&
        !templated &&
        definition !== undefined &&
        step.at127?.skip !== true
      ) {
        yield { title: `${name} ${i}`, definition, body: admitted(definition, step.request.body, namespace), step };
      }
    }
  }
}

/** The body after admission, as far as the tested strategies depend on it. */
function admitted(definition: ResourceDefinition, body: unknown, namespace: string | undefined): unknown {
  const metadata = { namespace: definition.scope === "Namespaced" ? namespace : undefined };
  return merged(body, definition.kind === "Pod" ? { metadata, spec: { serviceAccountName: "default" } } : { metadata });
}

const all = [...posts()];

const refused = all.flatMap(({ step, ...post }) => {
  const causes = step.response?.body?.details?.causes ?? [];
  const free = (step.at127?.ignore ?? []).some((path) => /causes|details|^body$/.test(path));
  const wanted = causes.filter(
    ({ field }) => !field.startsWith("metadata.") || /^metadata\.(name$|annotations\[|taints)/.test(field),
  );
  const skipped = free || elsewhere.has(post.title) || wanted.length === 0 || step.response?.status !== 422;
  return skipped ? [] : [{ ...post, wanted }];
});

describe("recorded rejections", () => {
  test.each(refused)("$title", ({ definition, body, wanted }) => {
    const { object, errors } = create(definition, body);
    const name = object.metadata.name ?? "";
    const names = nameValidator(definition.strategy.nameFormat)(name, false);
    const given = [...names.map((text) => `metadata.name: Invalid value: ${JSON.stringify(name)}: ${text}`), ...errors];
    const texts = wanted.map(({ field, message }) => `${field}: ${message}`);
    expect(given.map((error, i) => shortened(error, texts[i] ?? ""))).toEqual(texts);
  });
});

/** The error without the part that `<any>` replaces. */
function shortened(error: string, wanted: string): string {
  const [start = "", end = ""] = wanted.split("<any>");
  return wanted.includes("<any>") && error.startsWith(start) && error.endsWith(end) ? wanted : error;
}

/** Scenarios that record how admission changes pods. */
const byAdmission = /^life-(binding|limitrange|runtimeclass|serviceaccount)/;

const created = all.flatMap(({ step, ...post }) => {
  const free = (step.at127?.ignore ?? []).includes("body") || byAdmission.test(post.title);
  return step.response?.status === 201 && !free
    ? [{ ...post, wanted: step.response.body, ignored: new Set(step.at127?.ignore) }]
    : [];
});

/** Fields that admission, allocators and the generic server add. */
const added =
  /^\.(kind$|apiVersion$|metadata\.(uid|resourceVersion|generation|creationTimestamp|finalizers|name)|spec\.(tolerations|priority|preemptionPolicy|serviceAccount|clusterIPs?|taints)|spec\.ports\[\d+\]\.nodePort|spec\.healthCheckNodePort)\b/;

describe("recorded creations", () => {
  test.each(created)("$title", ({ definition, body, wanted, ignored }) => {
    const { object, errors } = create(definition, body);
    const lacking: string[] = [];
    compare(wanted, canonicalize(definition.schema, object), "", lacking);
    const found = lacking.filter((text) => !ignored.has(`body${text.slice(0, text.indexOf(": "))}`));
    expect({ errors, lacking: found }).toEqual({ errors: [], lacking: [] });
  });
});

/** Collects the recorded members that the value does not have. A recorded null may be absent. */
function compare(wanted: unknown, given: unknown, path: string, lacking: string[]): void {
  if (added.test(path) || wanted === null || (typeof wanted === "string" && /^<.*>$/.test(wanted))) {
    return;
  }
  if (typeof wanted === "object") {
    if (Array.isArray(wanted) && (given as unknown[] | undefined)?.length !== wanted.length) {
      lacking.push(`${path}: ${JSON.stringify(given)}`);
      return;
    }
    for (const [key, value] of Object.entries(wanted)) {
      const at = Array.isArray(wanted) ? `${path}[${key}]` : `${path}.${key}`;
      compare(value, (given as Record<string, unknown> | undefined)?.[key], at, lacking);
    }
  } else if (wanted !== given) {
    lacking.push(`${path}: ${JSON.stringify(given)} instead of ${JSON.stringify(wanted)}`);
  }
}
