import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestApiServer } from "@orchernetes/testkit";
import { comparePiece } from "../compare/compare-piece.ts";
import { median } from "../compare/comparison.ts";
import { load } from "../compare/pieces.ts";
import type { CreateLoad, CreateOutcome } from "../load/create-load.ts";
import { collectionPath } from "../load/objects.ts";
import { createTemplates, getTemplates } from "../load/request-template.ts";
import { runLoad, targetOf } from "../load/run-load.ts";
import type { Measure, Row } from "../row.ts";

const work = "embedded, 16 connections: CPU time added by audit (Metadata, log in batches)";
const get: Measure = { id: "audit-get", work: `GET a ConfigMap, ${work}`, unit: "%", atMost: 10 };
const create: Measure = { id: "audit-create", work: `create ConfigMap, ${work}`, unit: "%", atMost: 10 };

/** The simplest policy: two records of each request. */
const policy = { apiVersion: "audit.o8s.io/v1", kind: "Policy", rules: [{ level: "Metadata" }] };

/** What audit costs: two servers side by side, one of which records its requests, get the same load in turns. */
export const audit: Row = {
  id: "audit",
  measures: [get, create],
  async run({ quick, startServer, defer }) {
    const folder = await mkdtemp(join(tmpdir(), "o8s-bench-audit-"));
    defer(() => rm(folder, { recursive: true, force: true }));
    const policyFile = join(folder, "policy.json");
    await writeFile(policyFile, JSON.stringify(policy));
    const flags = [
      `--audit-policy-file=${policyFile}`,
      `--audit-log-path=${join(folder, "audit.log")}`,
      "--audit-log-mode=batch",
      "--audit-log-maxbackup=1",
    ];
    const sides = { theirs: await startServer("embedded"), ours: await startServer("embedded", flags) };
    for (const server of [sides.theirs, sides.ours]) {
      const one: CreateLoad = {
        target: targetOf(server),
        kind: "configmap",
        connections: 1,
        padBytes: 0,
        prefix: "one",
        count: 1,
      };
      await runLoad<CreateLoad, CreateOutcome>("create-load", one);
    }
    const addedBy = async (run: (server: TestApiServer, round: number) => Promise<number>): Promise<number> => {
      const { theirs, ours } = await comparePiece({ name: "", run }, sides, quick ? 5 : 15);
      return (median(ours.map((value, round) => value / (theirs[round] ?? Number.NaN))) - 1) * 100;
    };
    const path = `${collectionPath("configmap")}/one-0`;
    return {
      [get.id]: await addedBy((server) => load(server, getTemplates(targetOf(server), path), 16)),
      [create.id]: await addedBy((server, round) =>
        load(server, createTemplates(targetOf(server), "configmap", `round-${round}`), 16),
      ),
    };
  },
};
