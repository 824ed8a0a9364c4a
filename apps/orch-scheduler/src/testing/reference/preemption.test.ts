import { expect, test } from "vitest";
import { podInfo } from "../../cache/pod-info.ts";
import type { FilterPlugin, NodeFilter, PostFilterResult } from "../../framework/interfaces.ts";
import type { Profile } from "../../framework/profile.ts";
import { schedulePod } from "../../framework/schedule-pod.ts";
import { restoreSnapshot } from "../../offline/restore-snapshot.ts";
import { randomCluster } from "../random/random-cluster.ts";

/** The profile with filters that support less. */
const without = (profile: Profile, reduce: (filter: NodeFilter) => NodeFilter): Profile => ({
  ...profile,
  filters: profile.filters.map(
    (plugin): FilterPlugin => ({
      name: plugin.name,
      filter(pod, nodes, state) {
        const filter = plugin.filter(pod, nodes, state);
        return filter === undefined || "rejected" in filter ? filter : reduce(filter);
      },
    }),
  ),
});

/** Filters that are prepared again for each trial of a preemption. */
const preparedAgain = ({ podChanged: _, ...filter }: NodeFilter): NodeFilter => filter;

/** Filters for which each pod is tried on its own. */
const withoutGroups = ({ podsChanged: _, ...filter }: NodeFilter): NodeFilter =>
  filter.podChanged === "unaffected" ? { ...filter, podChanged: () => undefined } : filter;

/** Filters for which pods are moved in the table. */
const readingTable = ({ readsAmountsOnly: _, ...filter }: NodeFilter): NodeFilter => filter;

const shown = (result: PostFilterResult | undefined): unknown =>
  result?.type === "nominate" ? [result.node, ...result.victims.map(({ key }) => key)] : result;

test("preemption chooses the same whether it tries equal pods together or one by one, moves them, or prepares the filters again", () => {
  let nominated = 0;
  for (let seed = 0; seed < 500; seed++) {
    const snapshot = randomCluster(seed);
    const state = restoreSnapshot(snapshot);
    const profile = state.profiles.get("default-scheduler");
    const [pending] = snapshot.pending;
    if (profile === undefined || pending === undefined) throw new Error("there is nothing to schedule");
    const info = podInfo({ ...pending, spec: { ...pending.spec, priority: 1_000_000, preemptionPolicy: undefined } });
    const { nodes, nominations, random } = state;
    const refusal = schedulePod(info, nodes, profile, { start: state.start, random: random.next, nominations });
    if (refusal.type === "node") continue;
    const profiles = [
      profile,
      without(profile, withoutGroups),
      without(profile, readingTable),
      without(profile, preparedAgain),
    ];
    const [kept, ...others] = profiles.map((one) =>
      random.without(() =>
        shown(
          profile.postFilters[0]?.postFilter({
            pod: info,
            nominatedNode: "",
            nominations,
            nodes,
            profile: one,
            refusal,
          }),
        ),
      ),
    );
    for (const other of others) expect(kept, `seed ${seed}`).toEqual(other);
    if (Array.isArray(kept)) nominated++;
  }
  expect(nominated).toBeGreaterThan(50);
}, 60_000);
