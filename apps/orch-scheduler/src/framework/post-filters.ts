import { messageOf } from "@orchernetes/kernel";
import type { CycleMeter, PointStatus } from "./cycle-meter.ts";
import type { Refusal } from "./explain-refusal.ts";
import type { Plugin, PostFilterResult } from "./interfaces.ts";
import { measurePlugin, measurePoint } from "./measure.ts";

/** A post-filter plugin failed. */
interface PostFilterFailure {
  readonly type: "error";
  readonly error: unknown;
}

/** What a post-filter plugin decided. */
export interface PostFilterVerdict {
  readonly plugin: string;
  readonly result: PostFilterResult | PostFilterFailure;
}

/** No node fits, and what the post-filters say to that. */
export interface Unschedulable extends Refusal {
  /** In the order of the plugins, up to the first that nominates a node, or fails. */
  readonly postFilters: readonly PostFilterVerdict[];
}

const statusOf = (result: PostFilterVerdict["result"] | undefined): PointStatus => {
  if (result?.type === "error") return "Error";
  return result?.type === "nominate" ? "Success" : "Unschedulable";
};

const lastStatus = (verdicts: readonly PostFilterVerdict[]): PointStatus => statusOf(verdicts.at(-1)?.result);

const isLast = ({ type }: PostFilterVerdict["result"]): boolean => type !== "none";

const failure = (error: unknown): PostFilterFailure => ({ type: "error", error });

/** Runs plugins up to the first that nominates a node, or fails. */
export function runPostFilters<P extends Plugin>(
  plugins: readonly P[],
  meter: CycleMeter | undefined,
  run: (plugin: P) => PostFilterResult,
): readonly PostFilterVerdict[] {
  if (plugins.length === 0) return [];
  const tried = (plugin: P): PostFilterVerdict["result"] => {
    try {
      return run(plugin);
    } catch (error) {
      return failure(error);
    }
  };
  const all = (): readonly PostFilterVerdict[] => {
    const verdicts: PostFilterVerdict[] = [];
    for (const plugin of plugins) {
      const result = measurePlugin(meter, plugin, "PostFilter", () => tried(plugin), statusOf);
      verdicts.push({ plugin: plugin.name, result });
      if (isLast(result)) break;
    }
    return verdicts;
  };
  return measurePoint(meter, "PostFilter", all, lastStatus);
}

/** As {@link runPostFilters}, for plugins that may wait. It never rejects. */
export async function runWaitingPostFilters<P extends Plugin>(
  plugins: readonly P[],
  meter: CycleMeter | undefined,
  run: (plugin: P) => Promise<PostFilterResult>,
): Promise<readonly PostFilterVerdict[]> {
  if (plugins.length === 0) return [];
  const pointStartedMs = meter?.now() ?? 0;
  const verdicts: PostFilterVerdict[] = [];
  for (const plugin of plugins) {
    const startedMs = meter?.now() ?? 0;
    const result = await run(plugin).catch(failure);
    if (meter?.measuresPlugins === true) meter.plugin(plugin.name, "PostFilter", statusOf(result), startedMs);
    verdicts.push({ plugin: plugin.name, result });
    if (isLast(result)) break;
  }
  meter?.point("PostFilter", lastStatus(verdicts), pointStartedMs);
  return verdicts;
}

/**
 * A refusal with what the post-filters say to it. If none of them nominates a node, their messages come after that of the refusal,
 * followed by a period. The error of one that fails takes their place, and an earlier nomination is kept. All of this is as in the
 * original.
 */
export function withPostFilters(refusal: Refusal, verdicts: readonly PostFilterVerdict[]): Unschedulable {
  const last = verdicts.at(-1)?.result;
  const postFilters = last?.type === "error" ? verdicts.map(keepingNomination) : verdicts;
  const said = last?.type === "error" ? messageOf(last.error) : saidBy(verdicts);
  return { ...refusal, message: said === "" ? refusal.message : `${refusal.message} ${said}.`, postFilters };
}

/** What plugins say that have no remedy; "" if one of them has one. */
function saidBy(verdicts: readonly PostFilterVerdict[]): string {
  const messages = verdicts.flatMap(({ result }) => (result.type === "none" ? result.message : []));
  return messages.length < verdicts.length ? "" : messages.join(", ");
}

const keepingNomination = ({ plugin, result }: PostFilterVerdict): PostFilterVerdict => ({
  plugin,
  result: result.type === "none" ? { ...result, keepNomination: true } : result,
});
