import { type HostPathSettings, hostPathPlugin } from "./host-path.ts";
import { localPathPlugin } from "./local-path.ts";
import { createReclaimOnNode, type ReclaimOnNodeOptions } from "./reclaim-on-node.ts";
import { type RecyclerSettings, recyclerPod } from "./recycler-pod.ts";
import type { VolumePlugin } from "./volume-plugin.ts";

/** The settings of the volume plugins. */
export interface PluginSettings extends HostPathSettings {
  readonly nfsRecycler: RecyclerSettings;
}

/** The volume plugins of this program. */
export function volumePlugins(settings: PluginSettings, services: ReclaimOnNodeOptions): readonly VolumePlugin[] {
  return [
    hostPathPlugin(settings),
    localPathPlugin(createReclaimOnNode(services)),
    {
      name: "orchernetes.io/nfs",
      supports: ({ spec }) => spec.nfs !== undefined,
      recyclerPod: (volume) => {
        const { server = "", path = "" } = volume.spec.nfs ?? {};
        return recyclerPod(volume, { nfs: { server, path } }, settings.nfsRecycler);
      },
    },
    { name: "orchernetes.io/local-volume", supports: ({ spec }) => spec.local !== undefined },
    { name: "orchernetes.io/csi", supports: ({ spec }) => spec.csi !== undefined },
  ];
}
