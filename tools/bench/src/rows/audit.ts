import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestApiServer } from "@orchernetes/testkit";
import { comparePiece } from "../compare/compare-piece.ts";
import { median, medianInterval } from "../compare/comparison.ts";
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
  idle: true,
  async run({ quick, startServer, defer, note }) {
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
    const gets: number[] = [];
    const creates: number[] = [];
    // Two processes of the same code differ for their lives, so there are several of each.
    for (let start = 0; start < (quick ? 1 : 5); start++) {
      const servers = new Map<"plain" | "audited", TestApiServer>();
      for (const side of start % 2 === 0 ? (["plain", "audited"] as const) : (["audited", "plain"] as const))
        servers.set(side, await startServer("embedded", side === "audited" ? flags : []));
      const [theirs, ours] = [serverOf(servers, "plain"), serverOf(servers, "audited")];
      for (const server of [theirs, ours]) await createOne(server);
      const addedBy = async (to: number[], run: (server: TestApiServer, round: number) => Promise<number>) => {
        const measured = await comparePiece({ name: "", run }, { theirs, ours }, 5);
        to.push(...measured.ours.map((value, round) => value / (measured.theirs[round] ?? Number.NaN)));
      };
      const path = `${collectionPath("configmap")}/one-0`;
      await addedBy(gets, (server) => load(server, getTemplates(targetOf(server), path), 16));
      await addedBy(creates, (server, round) =>
        load(server, createTemplates(targetOf(server), "configmap", `round-${round}`), 16),
      );
      await Promise.all([theirs.stop(), ours.stop()]);
    }
    const interval = (ratios: readonly number[]) => medianInterval(ratios).map(inPercent).join(" to ");
    note(`95 % intervals: GET ${interval(gets)} %, create ${interval(creates)} %`);
    return { [get.id]: inPercent(median(gets)), [create.id]: inPercent(median(creates)) };
  },
};

const inPercent = (ratio: number): number => Number(((ratio - 1) * 100).toFixed(1));

function serverOf(servers: ReadonlyMap<"plain" | "audited", TestApiServer>, side: "plain" | "audited"): TestApiServer {
  const server = servers.get(side);
  if (server === undefined) throw new Error(`the ${side} server was not started`);
  return server;
}

async function createOne(server: TestApiServer): Promise<void> {
  const target = targetOf(server);
  const one: CreateLoad = { target, kind: "configmap", connections: 1, padBytes: 0, prefix: "one", count: 1 };
  await runLoad<CreateLoad, CreateOutcome>("create-load", one);
}
