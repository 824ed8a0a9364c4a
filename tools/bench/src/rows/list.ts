import { fillPods } from "../load/fill-pods.ts";
import type { GetLoad, GetOutcome } from "../load/get-load.ts";
import { measureRate } from "../load/measure-rate.ts";
import { collectionPath } from "../load/objects.ts";
import { getTemplates } from "../load/request-template.ts";
import { runLoad, targetOf } from "../load/run-load.ts";
import type { Row } from "../row.ts";

/** LIST of many pods as JSON, of all and by label. */
export const list: Row = {
  id: "list",
  measures: [
    {
      id: "list",
      work: "LIST 10.6k pods, 24 MB JSON",
      unit: "s",
      upstream: { text: "0.26–0.39 s", best: 0.26 },
      atMost: 0.06,
    },
    {
      id: "list-by-label",
      work: "LIST by label, 1 in 10 of 10.6k, 4 connections",
      unit: "/s",
      upstream: { text: "14.6 /s", best: 14.6 },
      atLeast: 150,
    },
  ],
  async run({ quick, startServer, note }) {
    const server = await startServer();
    const pods = quick ? 2120 : 10_600;
    await fillPods(server, pods);
    const target = targetOf(server);
    const path = collectionPath("pod");
    const whole: GetLoad = { target, path, connections: 1, timesEach: quick ? 5 : 15 };
    const listed = await runLoad<GetLoad, GetOutcome>("get-load", whole);
    note(`${pods} pods, ${(listed.bodyBytes / 1e6).toFixed(1)} MB; best ${listed.bestMs.toFixed(0)} ms`);
    const selected = `${path}?labelSelector=tier%3Dt3`;
    const templates = getTemplates(target, selected);
    const { perSecond, by } = await measureRate({ target, templates, connections: 4, seconds: quick ? 2 : 5 });
    note(`load by Node, by label by ${by}`);
    return { list: listed.medianMs / 1000, "list-by-label": perSecond };
  },
};
