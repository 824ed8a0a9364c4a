/**
 * A scheduler plugin that binds the pods of a team only during its hours, and only to nodes that the team has reserved. It
 * prefers the node with the fewest pods.
 *
 * The plugin implements five extension points. The configuration names its path, see `docs/scheduler-plugins.md`.
 */
import type { PluginDefinition } from "../../../apps/orch-scheduler/src/plugin-api.ts";

interface Arguments {
  /** Value of the label `example.com/team` of pods and nodes. */
  readonly team: string;
  /** Hours of the day, in UTC, between which pods start. */
  readonly from: number;
  readonly until: number;
}

const LABEL = "example.com/team";

const quietHours: PluginDefinition<Arguments> = {
  name: "QuietHours",
  points: ["preFilter", "filter", "score", "permit", "postBind"],
  args: (zod) =>
    zod.strictObject({
      team: zod.string().min(1),
      from: zod.int().min(0).max(23).default(0),
      until: zod.int().min(1).max(24).default(24),
    }),
  create({ team, from, until }, { events, eventRecorder, clock }) {
    return {
      name: "QuietHours",
      // A rejected pod is tried again after these events; without the field, after every event.
      events: events.NodeAdded | events.NodeLabels,
      // The filter is skipped for pods of other teams.
      preFilter: ({ pod }) => (pod.metadata.labels?.[LABEL] === team ? undefined : "skip"),
      filter: (_, nodes) => ({
        // Evicting pods would not help, so preemption does not consider the node.
        reasons: [{ text: `node(s) were not reserved for team ${team}`, evictionHelps: false }],
        // 0 accepts the node; other results are the number of a reason, counted from 1.
        check: (slot) => (nodes.nodeAt(slot)?.metadata.labels?.[LABEL] === team ? 0 : 1),
      }),
      score: (_, nodes) => (slots, scores) => {
        for (const [i, slot] of slots.entries()) scores[i] = Math.max(100 - (nodes.podCount[slot] ?? 0), 0);
      },
      permit({ pod }) {
        const hour = clock.now().getUTCHours();
        if (pod.metadata.labels?.[LABEL] !== team || (hour >= from && hour < until)) return undefined;
        return { type: "reject", message: `pods of team ${team} start from ${from} to ${until} o'clock` };
      },
      // `kubectl describe` shows the event with the pod.
      postBind(pod, node) {
        if (pod.pod.metadata.labels?.[LABEL] !== team) return;
        const message = `pod of team ${team} was bound to node ${node.metadata.name}`;
        eventRecorder.event(pod, { type: "Normal", reason: "TeamPod", action: "Binding", message, related: node });
      },
    };
  },
};

export default quietHours;
