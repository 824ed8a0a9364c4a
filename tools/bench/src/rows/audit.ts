import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { median, medianInterval } from "../compare/comparison.ts";
import { collectionPath, NAMESPACE, objectJson } from "../load/objects.ts";
import { createTemplates, getTemplates, type RequestTemplate } from "../load/request-template.ts";
import { runLoad, targetOf } from "../load/run-load.ts";
import type { TurnsLoad, TurnsOutcome } from "../load/turns-load.ts";
import type { Measure, Row } from "../row.ts";

const work = "embedded, 16 connections: rate lost by audit (Metadata, log in batches)";
const get: Measure = { id: "audit-get", work: `GET a ConfigMap, ${work}`, unit: "%", atMost: 10 };
const create: Measure = { id: "audit-create", work: `create ConfigMap, ${work}`, unit: "%", atMost: 10 };

/** Requests in this namespace are not recorded. */
const UNRECORDED = "default";
const WARM_UP_TURNS = 6;

/** Two records of each request but those in one namespace. */
const policy = {
  apiVersion: "audit.o8s.io/v1",
  kind: "Policy",
  rules: [{ level: "None", namespaces: [UNRECORDED] }, { level: "Metadata" }],
};

/**
 * What audit costs: requests in two namespaces, in turns, of which one is recorded.
 *
 * Both are answered by the same process. Two processes of the same code differ by up to a third for their lives on some machines, which is
 * more than what is measured. The evaluation of the policy, without which there is no audit, is in both figures.
 */
export const audit: Row = {
  id: "audit",
  measures: [get, create],
  idle: true,
  async run({ quick, startServer, defer, note }) {
    const folder = await mkdtemp(join(tmpdir(), "o8s-bench-audit-"));
    defer(() => rm(folder, { recursive: true, force: true }));
    const policyFile = join(folder, "policy.json");
    await writeFile(policyFile, JSON.stringify(policy));
    const server = await startServer("embedded", [
      `--audit-policy-file=${policyFile}`,
      `--audit-log-path=${join(folder, "audit.log")}`,
      "--audit-log-mode=batch",
      "--audit-log-maxbackup=1",
    ]);
    const target = targetOf(server);
    const lostBy = async (name: string, made: (run: number) => readonly RequestTemplate[]): Promise<number> => {
      const turns = (count: number) => {
        const templates = made(count);
        const side = { target, pid: server.pid };
        const sides = [
          { ...side, templates },
          { ...side, templates: unrecorded(templates) },
        ] as const;
        return runLoad<TurnsLoad, TurnsOutcome>("turns-load", { sides, connections: 16, turns: count });
      };
      await turns(WARM_UP_TURNS);
      const measured = await turns(quick ? 10 : 80);
      if (measured.failed > 0) throw new Error(`${measured.failed} requests failed`);
      const [recorded, others] = measured.turns;
      const ratios = recorded.map(({ rate }, turn) => rate / (others[turn]?.rate ?? Number.NaN));
      const [high, low] = medianInterval(ratios).map(inPercent);
      note(`${name}: 95 % interval ${low} to ${high} %`);
      return inPercent(median(ratios));
    };
    for (const namespace of [NAMESPACE, UNRECORDED])
      await server.client().request({
        method: "POST",
        path: `/api/v1/namespaces/${namespace}/configmaps`,
        body: JSON.parse(objectJson("configmap", "one", 0, 0)),
      });
    const path = `${collectionPath("configmap")}/one`;
    return {
      [get.id]: await lostBy("GET", () => getTemplates(target, path)),
      [create.id]: await lostBy("create", (turns) => createTemplates(target, "configmap", `in-${turns}-turns`)),
    };
  },
};

const inPercent = (ratio: number): number => Number(((1 - ratio) * 100).toFixed(1));

/** The same requests in the other namespace. */
const unrecorded = (templates: readonly RequestTemplate[]): readonly RequestTemplate[] =>
  templates.map((parts) =>
    parts.map((part) => part.replace(`/namespaces/${NAMESPACE}/`, `/namespaces/${UNRECORDED}/`)),
  );
