import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { allResources } from "../src/resources.ts";
import { create } from "./support.ts";

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
    readonly body?: { readonly details?: { readonly causes?: readonly Cause[] } };
  };
  readonly at127?: { readonly ignore?: readonly string[]; readonly skip?: boolean };
}

/** Refusals that 1.27 words or judges differently although the recording does not say so. */
const differs = new Set(["invalid-job 2", "invalid-job 3"]);

const byPath = new Map(
  allResources.map((definition) => [`${definition.group}/${definition.version}/${definition.plural}`, definition]),
);

function* refusals() {
  if (!existsSync(folder)) {
    return;
  }
  for (const file of readdirSync(folder).filter((name) => /^(invalid|auth)-.*\.json$/.test(name))) {
    const text = readFileSync(`${folder}/${file}`, "utf8").replaceAll("{{ns}}", "rec-abcdef");
    const { name, steps } = JSON.parse(text) as { name: string; steps: Step[] };
    for (const [i, step] of steps.entries()) {
      const match = /^\/apis\/([^/]+)\/([^/]+)\/(?:namespaces\/[^/]+\/)?([^/?]+)$/.exec(step.request?.path ?? "");
      const definition = match === null ? undefined : byPath.get(match.slice(1).join("/"));
      const causes = step.response?.body?.details?.causes;
      const judged = step.response?.status === 422 && causes !== undefined && step.request?.method === "POST";
      const free = step.at127?.skip === true || (step.at127?.ignore ?? []).some((path) => /causes|^body$/.test(path));
      if (judged && !free && definition !== undefined && !differs.has(`${name} ${i}`)) {
        yield { title: `${name} ${i}`, definition, body: step.request?.body, causes };
      }
    }
  }
}

const cases = [...refusals()];

describe.skipIf(cases.length === 0)("recorded refusals", () => {
  test.each(cases)("$title", ({ definition, body, causes }) => {
    const { errors } = create(definition, body, "UID");
    // Names are judged by the server, from the definition's name format.
    const wanted = causes
      .filter((cause) => cause.field !== "metadata.name" || definition.kind === "CronJob")
      .map((cause) => `${cause.field}: ${cause.message.replaceAll("<uid:1>", "UID")}`);
    if (wanted.length === 0) {
      return;
    }
    const given = errors.filter((error) => !error.startsWith("metadata.name: ") || definition.kind === "CronJob");
    expect(given.map((error, i) => (wanted[i]?.includes("<any>") ? shortened(error, wanted[i]) : error))).toEqual(
      wanted,
    );
  });
});

/** The error with what stands in place of `<any>` cut out. */
function shortened(error: string, wanted: string): string {
  const [start = "", end = ""] = wanted.split("<any>");
  return error.startsWith(start) && error.endsWith(end) ? wanted : error;
}
