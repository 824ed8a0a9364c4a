import type {
  BindPlugin,
  FilterPlugin,
  PermitPlugin,
  Plugin,
  PostBindPlugin,
  PostFilterPlugin,
  PreBindPlugin,
  PreEnqueuePlugin,
  PreFilterPlugin,
  PreScorePlugin,
  QueueSortPlugin,
  ReservePlugin,
  ScorePlugin,
} from "./interfaces.ts";

/** The plugins of each extension point. */
export interface PointPlugins {
  readonly preEnqueue: PreEnqueuePlugin;
  readonly queueSort: QueueSortPlugin;
  readonly preFilter: PreFilterPlugin;
  readonly filter: FilterPlugin;
  readonly postFilter: PostFilterPlugin;
  readonly preScore: PreScorePlugin;
  readonly score: ScorePlugin;
  readonly reserve: ReservePlugin;
  readonly permit: PermitPlugin;
  readonly preBind: PreBindPlugin;
  readonly bind: BindPlugin;
  readonly postBind: PostBindPlugin;
}

/** A plugin with the methods of any extension points. */
export type AnyPlugin = Plugin &
  Partial<
    PreEnqueuePlugin &
      QueueSortPlugin &
      PreFilterPlugin &
      FilterPlugin &
      PostFilterPlugin &
      PreScorePlugin &
      ScorePlugin &
      ReservePlugin &
      PermitPlugin &
      PreBindPlugin &
      BindPlugin &
      PostBindPlugin
  >;

/** An extension point, by its field in a configuration. */
export type ExtensionPoint = keyof PointPlugins;

/** The extension points in the order in which they are called, with the methods that a plugin has for each. */
const METHODS: { readonly [P in ExtensionPoint]: readonly (keyof PointPlugins[P] & string)[] } = {
  preEnqueue: ["preEnqueue"],
  queueSort: ["less"],
  preFilter: ["preFilter"],
  filter: ["filter"],
  postFilter: ["postFilter"],
  preScore: ["preScore"],
  score: ["score"],
  reserve: ["reserve", "unreserve"],
  permit: ["permit"],
  preBind: ["preBind"],
  bind: ["bind"],
  postBind: ["postBind"],
};

/** All extension points, in the order in which they are called. */
export const EXTENSION_POINTS = Object.keys(METHODS) as readonly ExtensionPoint[];

/** Whether a plugin has the methods of an extension point. */
export function implementsPoint<P extends ExtensionPoint>(plugin: Plugin, point: P): plugin is PointPlugins[P] {
  return METHODS[point].every((method) => method in plugin && typeof Reflect.get(plugin, method) === "function");
}
